# Sourced by ./run: the merchant's server, held against its own description by requests that schemathesis makes from it.

# check_openapi runs Tests/OpenAPI against the binary that was built. Without Python or PyPI there is nothing to make
# requests with: it is skipped, unless OPENAPI=required.
check_openapi() {
    python_environment .build/openapi Tests/OpenAPI/requirements.txt || { skip openapi "${OPENAPI:-}"; return; }
    at_most 900 .build/openapi/bin/python Tests/OpenAPI/contract.py .build/debug/external-purchase
}

# Sourced by ./run: the documentation site in .build/site. The declarations come from the compiler and its docc, the
# pages from the generator in Scripts/site, which needs packages from PyPI. Without them the site is skipped, unless
# DOCS=required; the documentation comments are checked all the same.

# The modules that the site shows: those of the products, and those whose types their declarations name.
documented_modules=(
    ExternalPurchaseKit ExternalPurchaseKitBridge ExternalPurchaseKitHTTP ExternalPurchaseKitTesting StoreKitSimulator
    StoreKitSimulatorTesting Eligibility ConfigurationLint AppConfiguration TokenLifecycle ExternalPurchaseCore
    AppStoreEmulator
)

# build_documented_modules compiles them; what depends on them builds the others.
build_documented_modules() {
    local target
    for target in ExternalPurchaseKitHTTP ExternalPurchaseKitBridge ExternalPurchaseKitTesting \
        StoreKitSimulatorTesting AppStoreEmulator; do
        swift build --target "$target" 1>&2
    done
}

# site_archives reads the declarations of the modules that were built, without a second compilation, and lets docc
# resolve their documentation. A warning of docc is an error.
site_archives() {
    local work=.build/site-work triple module catalogue c_modules
    triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
    mapfile -t c_modules < <(c_module_folders | sed 's/^/-I/')
    rm -rf "$work" && mkdir -p "$work/archives"
    for module in "${documented_modules[@]}"; do
        mkdir -p "$work/graphs/$module"
        catalogue=$(find Sources -type d -name "$module.docc")
        # shellcheck disable=SC2086 # an empty or one catalogue
        swift symbolgraph-extract -module-name "$module" -target "$triple" -I .build/debug/Modules \
            "${c_modules[@]}" -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
            -output-dir "$work/graphs/$module" >"$work/$module.log" 2>&1 \
            && docc convert $catalogue --additional-symbol-graph-dir "$work/graphs/$module" --warnings-as-errors \
                --no-transform-for-static-hosting --output-path "$work/archives/$module.doccarchive" \
                --fallback-display-name "$module" --fallback-bundle-identifier "external-purchase.$module" \
                >"$work/$module.log" 2>&1 \
            || { cat "$work/$module.log"; say "docs: $module could not be documented"; return 1; }
    done
}

# c_module_folders prints the folders of the C modules that the modules import: those with a map of their own, and those
# for which SwiftPM wrote one.
c_module_folders() {
    {
        find .build/debug/ -maxdepth 2 -path '*.build/module.modulemap' -not -path '*-tool.build/*'
        find .build/checkouts/*/Sources -name module.modulemap -not -path '*SQLCipher*'
    } 2>/dev/null | sort | xargs -r -n 1 dirname
}

# site_pages FOLDER writes the site there.
site_pages() {
    local commit=
    if git rev-parse --verify --quiet HEAD >/dev/null 2>&1; then
        commit=$(git log -1 --format='Commit %h of %cs.')
    fi
    .build/site-tools/bin/python -B Scripts/site/build.py --output "$1" --archives .build/site-work/archives \
        --commit "$commit"
}

# build_site tests the generator, and builds and checks the site of the modules that were built.
build_site() {
    site_archives || return
    python_environment .build/site-tools Scripts/site/requirements.txt || { skip docs "${DOCS:-}"; return; }
    PYTHONPATH=Scripts/site .build/site-tools/bin/python -B -m unittest discover --quiet -s Tests/Site || return
    site_pages .build/site || return
    .build/site-tools/bin/python -B Scripts/site/check.py .build/site || return
    check_site_search || return
    say "the documentation is in .build/site/index.html"
}

# check_site_search asks the built index what Tests/Site/queries.json names, with the script of the pages.
check_site_search() {
    if ! command -v node >/dev/null; then
        reason="node is not installed (Debian: nodejs)"
        skip "search of the site" "${DOCS:-}"
        return
    fi
    node Tests/Site/search.mjs .build/site
}

# check_site is what CI runs: the site, a second build with the same bytes, and a browser.
check_site() {
    build_site || return
    [ -e .build/site-tools/installed.txt ] || return 0
    site_pages .build/site-again >/dev/null || return
    diff -rq .build/site .build/site-again || { say "docs: two builds of one commit differ"; return 1; }
    rm -rf .build/site-again
    browser_environment || { skip "the site in a browser" "${BROWSER:-}"; return; }
    .build/browser/bin/python -B Tests/Browser/site.py .build/site --chromium "$chromium"
}

# docs [--serve [PORT]] builds the site, and shows it on this machine.
docs() {
    local port=
    case "${1:-}" in
    '') ;;
    --serve) port=${2:-8090} ;;
    *)
        say "unknown option '$1' of docs; --serve [PORT] shows the site on this machine"
        exit 2
        ;;
    esac
    [[ $port =~ ^[0-9]*$ ]] || { say "the port '$port' is no number"; exit 2; }
    install_prerequisites
    build_documented_modules
    build_site || exit 1
    [ -n "$port" ] || return 0
    say "http://127.0.0.1:$port/ until Ctrl-C"
    exec python3 -m http.server --bind 127.0.0.1 --directory .build/site "$port"
}

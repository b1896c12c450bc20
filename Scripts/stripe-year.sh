# Sourced by ./run: a year of Stripe's events, and months of other payments.

# check_stripe_year plays two short years, and months in which payments of custom and Paddle change, against the binary that was
# built; it is skipped without python3.
check_stripe_year() {
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip "a year of Stripe events" ""; return; }
    at_most 300 python3 Tests/StripeYear/year.py .build/debug/external-purchase --seeds 2 --customers 12
    at_most 300 python3 Tests/StripeYear/states.py .build/debug/external-purchase --seeds 2 --customers 16
}

extension Endpoint {
    /// Every endpoint of the server: those that its OpenAPI description has, and the dashboard's pages.
    static let all = interface + pages

    /// The path of the metrics, which the setting `metrics.open` opens.
    static let metricsPath = "/metrics"
}

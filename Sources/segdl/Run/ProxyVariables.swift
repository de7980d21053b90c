import SegmentedDL

/// The variables of proxies, which libcurl reads itself.
enum ProxyVariables {
    private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// Replaces non-ASCII hosts with their ASCII form, because libcurl does not.
    static func convertHosts() {
        for name in names {
            guard let value = ProcessEnvironment.variable(name) else { continue }
            let converted = HostName.asciiHost(ofProxy: value)
            if converted != value { ProcessEnvironment.set(name, to: converted) }
        }
    }
}

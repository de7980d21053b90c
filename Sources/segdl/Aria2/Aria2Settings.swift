import SegmentedDL
import SegmentedDLOptions
import SystemPackage

extension Aria2Plan {
    /// The time after which aria2 closes a slow connection.
    private static let patienceWithSlowness = 10

    /// The library's settings for all downloads.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.minimumSegmentSize = Int64(values.size("min-split-size"))
        configuration.limits = limits
        configuration.transport = transport
        configuration.retry.longestOutage = .zero
        configuration.retry = FileTries(
            count: values.number("max-tries"), wait: values.limit("retry-wait").map { Int($0) }
        ).applied(to: configuration.retry)
        return configuration
    }

    /// aria2 limits the connections of each download, not their sum.
    private var limits: Limits {
        let files = values.number("max-concurrent-downloads")
        let values = downloads.isEmpty ? [self.values] : downloads.map(\.values)
        func most(_ name: String) -> Int {
            let ofFile = values.map { $0.number(name) }.max() ?? 1
            let (all, isTooMuch) = ofFile.multipliedReportingOverflow(by: min(files, max(1, downloads.count)))
            return max(1, isTooMuch ? .max : all)
        }
        var limits = Limits()
        limits.activeFiles = .fixed(files)
        limits.connections = min(most("split"), Aria2Rules.mostConnections)
        limits.connectionsPerHost = min(most("max-connection-per-server"), Aria2Rules.mostConnections)
        limits.rate = self.values.limit("max-overall-download-limit")
        return limits
    }

    private var transport: Transport {
        var transport = Transport()
        transport.certificateAuthorities = values.nonEmpty("ca-certificate").map { FilePath($0) }
        transport.clientCertificate = values.nonEmpty("certificate").map { FilePath($0) }
        // Like aria2, detect PKCS#12 by the file name.
        let name = values.nonEmpty("certificate")?.lowercased() ?? ""
        if name.hasSuffix(".p12") || name.hasSuffix(".pfx") { transport.clientCertificateFormat = .pkcs12 }
        transport.clientKey = values.nonEmpty("private-key").map { FilePath($0) }
        transport.verifiesTLS = values.flag("check-certificate")
        transport.interface = values.nonEmpty("interface")
        transport.addressFamily = values.flag("disable-ipv6") ? .ipv4 : .any
        transport.usesNetrc = !values.flag("no-netrc")
        transport.cookieFile = values.nonEmpty("load-cookies").map { FilePath($0) }
        transport.userAgent = "segdl/\(Version.current)"
        transport.connectTimeout = .seconds(values.number("connect-timeout"))
        transport.lowSpeedTime = .seconds(values.number("timeout"))
        if let slowest = values.limit("lowest-speed-limit") {
            transport.lowSpeedLimit = slowest
            transport.lowSpeedTime = min(transport.lowSpeedTime, .seconds(Self.patienceWithSlowness))
        }
        return transport
    }
}

import SystemPackage
import Testing

@testable import SegmentedDL

/// Each setting of connections is obeyed on the fast path, or excludes all downloads from it.
@Suite("The fast path and the settings of connections")
struct FastPathSettingsTests {
    /// libcurl obeys these when it opens a connection, also for the fast path.
    private static let ofConnections: Set<String> = [
        "authentication", "proxyAuthentication", "noProxy", "certificateAuthorities", "clientCertificate",
        "clientCertificateFormat", "clientKey", "clientKeyFormat", "clientKeyPassphrase", "verifiesTLS",
        "interface", "addressFamily", "resolve", "connectTimeout",
    ]
    /// The fast path itself obeys these.
    private static let ofRequests: Set<String> = ["usesHTTP2", "userAgent", "referer"]
    /// A redirect, or a response that is late, leaves the fast path, and then these apply.
    private static let ofOrdinaryDownloads: Set<String> = [
        "firstByteTimeout", "lowSpeedLimit", "lowSpeedTime", "maxRedirects", "allowsInsecureRedirects",
        "sendsRedirectCookies",
    ]
    /// These exclude all downloads.
    private static let excluding: Set<String> = ["proxy", "usesNetrc", "netrcFile", "cookieFile"]

    @Test("consider every setting")
    func settings() {
        let names = Set(Swift.Mirror(reflecting: Transport()).children.compactMap(\.label))
        let known = Self.ofConnections.union(Self.ofRequests).union(Self.ofOrdinaryDownloads)
        #expect(names == known.union(Self.excluding))
    }

    @Test("send the user agent and the referer of the settings")
    func fields() throws {
        var transport = Transport()
        (transport.userAgent, transport.referer) = ("me/1", "http://r/")
        let task = DownloadTask(try DownloadRequest("http://a.example/f.bin", to: .directory(".")))
        var entrance = FastPathEntrance(transport, FastPathBatch(count: 1))
        let file = entrance.file(FastPath.Entry(id: 1, task: task))
        let text = String(decoding: file?.bytes ?? [], as: UTF8.self)
        #expect(text.contains("\r\nUser-Agent: me/1\r\n") && text.contains("\r\nReferer: http://r/\r\n"))
    }
}

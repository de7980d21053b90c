import Testing

@testable import SegmentedDLMirror

@Suite("The order of a listing")
struct ListingOrderTests {
    @Test(
        "is a query with known fields and values only",
        arguments: [
            // Apache, nginx's fancyindex, Jetty and Tomcat.
            ("C=N;O=D", true), ("C=M;O=A", true), ("C=S&O=A", true), ("C=D&O=D", true), ("c=n", true),
            ("C=N;O=A;F=2;V=1", true), ("C=N", true), ("O=A", true), ("V=0", true),
            ("C=N;O=D;P=*.deb", false), ("C=N;O=D&P=2", false), ("C=X", false), ("O=1", false),
            ("F=3", false), ("C", false),
            // Caddy, rclone, miniserve and dufs.
            ("sort=name&order=asc", true), ("sort=namedirfirst&order=desc", true), ("sort=size", true),
            ("layout=grid", true), ("sort=!n", true), ("raw=true", true), ("download=tar_gz", true),
            ("sort=name&order=asc&limit=10", false), ("sort=name&offset=10", false), ("sort=2", false),
            ("order=2", false), ("layout=2", false), ("raw=a.bin", false), ("download=a.bin", false),
            // Pages.
            ("page=2", false), ("p=2", false), ("start=2", false), ("marker=b.bin", false), ("2", false),
            ("next", false), ("=2", false), ("dir=sub", false), ("C=N;O=D;page=2", false),
            ("cursor=asc", false),
            ("", true), ("&", true),
        ])
    func table(query: String, isSame: Bool) {
        #expect(ListingOrder.isSameListing(query[...]) == isSame, "\(query)")
    }

    @Test(
        "may repeat the query of the listing itself",
        arguments: [
            ("t=x", "t=x", true), ("t=x&C=N", "t=x", true), ("C=N", "t=x", true), ("t=y", "t=x", false),
            ("t=X", "t=x", false), ("page=2&sort=size", "page=2", true), ("page=3", "page=2", false),
        ])
    func own(query: String, own: String, isSame: Bool) {
        #expect(ListingOrder.isSameListing(query[...], of: own[...]) == isSame)
    }
}

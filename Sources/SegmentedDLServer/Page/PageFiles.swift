/// The files of the daemon's own page. They are in the executable.
enum PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// Nothing from elsewhere, no script or style in the text, and no page around this one (CSP Level 3).
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

    private static let files: [String: [UInt8]] = [
        "index.html": PackageResources.index_html, "page.css": PackageResources.page_css,
        "icon.svg": PackageResources.icon_svg, "add.js": PackageResources.add_js,
        "api.js": PackageResources.api_js, "details.js": PackageResources.details_js,
        "dialogs.js": PackageResources.dialogs_js, "dom.js": PackageResources.dom_js,
        "format.js": PackageResources.format_js, "list.js": PackageResources.list_js,
        "main.js": PackageResources.main_js, "pictures.js": PackageResources.pictures_js,
        "store.js": PackageResources.store_js,
    ]

    static func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let name = request.path == "/" ? "index.html" : String(request.path.dropFirst("/page/".count))
        guard request.path == "/" || request.path.hasPrefix("/page/"), let bytes = files[name],
            let type = types[String(name.split(separator: ".").last ?? "")]
        else { return .text(404, "There is nothing at this address; the page is at /.") }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .methodNotAllowed("GET, HEAD")
        }
        var answer = HTTPAnswer(200, type: type, .bytes(bytes))
        answer.fields += [
            ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
            ("X-Frame-Options", "DENY"), ("Cache-Control", "no-cache"),
        ]
        return answer
    }
}

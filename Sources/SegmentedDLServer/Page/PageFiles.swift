/// The files of the daemon's own page, embedded in the executable.
enum PageFiles {
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    ]

    /// Allows nothing from other origins, no inline scripts or styles, and no framing (CSP Level 3).
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

    private static let files: [String: [UInt8]] = [
        "index.html": PackageResources.index_html, "page.css": PackageResources.page_css,
        "icon.svg": PackageResources.icon_svg, "add.js": PackageResources.add_js,
        "api.js": PackageResources.api_js, "canvas.js": PackageResources.canvas_js,
        "details.js": PackageResources.details_js, "dialogs.js": PackageResources.dialogs_js,
        "dom.js": PackageResources.dom_js, "format.js": PackageResources.format_js,
        "graph.js": PackageResources.graph_js, "header.js": PackageResources.header_js,
        "icons.js": PackageResources.icons_js, "legend.js": PackageResources.legend_js,
        "links.js": PackageResources.links_js, "list.js": PackageResources.list_js,
        "main.js": PackageResources.main_js, "map.js": PackageResources.map_js,
        "metalink.js": PackageResources.metalink_js, "mirrordialog.js": PackageResources.mirrordialog_js,
        "mirrors.js": PackageResources.mirrors_js, "mirrorwords.js": PackageResources.mirrorwords_js,
        "news.js": PackageResources.news_js,
        "offers.js": PackageResources.offers_js, "proof.js": PackageResources.proof_js,
        "row.js": PackageResources.row_js, "store.js": PackageResources.store_js,
        "trace.js": PackageResources.trace_js, "tracepicture.js": PackageResources.tracepicture_js,
        "words.js": PackageResources.words_js,
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

import SegmentedDL

/// Results as a self-contained page with plots, without scripts and network access.
struct BenchPage: Sendable {
    let results: [BenchResult]
    let title: String
    let durability: Durability

    private static let width = 860.0
    private static let height = 260.0

    var html: String {
        let traced = results.filter { !($0.typical?.trace.isEmpty ?? true) }
        return """
            <!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>segdl bench</title>
            <style>
            :root { color-scheme: light dark }
            body { font: 15px system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: \(Int(Self.width))px }
            div { overflow-x: auto } table { border-collapse: collapse; margin: 1em 0 }
            td, th { padding: .2em .8em; text-align: right } td:first-child, th:first-child { text-align: left }
            tr:nth-child(even), svg { background: #8881 }
            svg { margin: .5em 0 1.5em; max-width: 100%; height: auto }
            text { font: 12px system-ui, sans-serif; fill: currentColor } .spread { stroke: currentColor }
            </style>
            <h1>segdl bench</h1>
            <p>\(Self.escaped(title)), \(ByteFormat.size(results.first?.length ?? 0)); medians of \(results.first?.runs.count ?? 0) \
            runs in turn, bytes verified; segdl with --durability \(durability.rawValue).</p>
            <div>\(table)</div>
            \(heldBack)
            <p>\(BenchTable.legend)</p>
            <h2>Time</h2>
            <p>Bars are medians; the line across a bar goes from the fastest run to the slowest.</p>
            \(bars)
            \(traced.map(plots).joined(separator: "\n"))

            """
    }

    private var table: String {
        let head = ["", "seconds", "spread", "speed", "CPU s/GiB", "memory", "opened", "twice"]
        let rows = results.map { result in
            let run = result.typical
            return [
                result.contender.name, BenchTable.fixed(result.seconds),
                "\(BenchTable.fixed(result.fastest))–\(BenchTable.fixed(result.slowest))",
                ByteFormat.speed(result.speed), BenchTable.fixed(result.cpuPerGiB),
                ByteFormat.size(result.memory), run?.connections.map(String.init) ?? "",
                run?.excess.map(ByteFormat.size) ?? result.failures.joined(separator: ", "),
            ]
        }
        func line(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(Self.escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        return "<table>\(line(head, "th"))\(rows.map { line($0, "td") }.joined())</table>"
    }

    private var heldBack: String {
        BenchTable.heldBack(results).map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n")
    }

    /// Median times, with a line from the fastest to the slowest run.
    private var bars: String {
        let longest = results.map(\.slowest).max() ?? 1
        let room = Self.width - 220
        let lines = results.enumerated().map { index, result -> String in
            let y = Double(index) * 24 + 8
            func x(_ seconds: Double) -> String { Self.number(110 + seconds / max(longest, 1e-9) * room) }
            let seconds = result.seconds
            let fill = result.contender.isOurs ? "#2a7" : "#89a"
            return """
                <text x="0" y="\(Self.number(y + 12))">\(Self.escaped(result.contender.name))</text>\
                <rect x="110" y="\(Self.number(y))" width="\(Self.number(seconds / max(longest, 1e-9) * room))" \
                height="16" fill="\(fill)"/>\
                <line x1="\(x(result.fastest))" x2="\(x(result.slowest))" y1="\(Self.number(y + 8))" \
                y2="\(Self.number(y + 8))" class="spread"/>\
                <text x="\(Self.number(Self.width - 100))" y="\(Self.number(y + 12))">\(BenchTable.fixed(seconds)) s</text>
                """
        }
        return Self.svg(height: Double(results.count) * 24 + 16, lines.joined())
    }

    // MARK: One run over time

    private func plots(_ result: BenchResult) -> String {
        guard let run = result.typical, let end = run.trace.last?.time, end > 0 else { return "" }
        return """
            <h2>\(Self.escaped(result.contender.name))</h2>
            <p>Speed over time in the run with the median time:</p>
            \(Self.svg(height: Self.height / 2 + 20, speed(run.trace, end: end)))
            <p>Bytes over time: a line for each segment, the start of the file at the bottom.</p>
            \(Self.svg(height: Self.height + 20, segments(run.trace, end: end, length: result.length)))
            """
    }

    /// Plots the speed over windows of a fortieth of the time, because single samples fluctuate.
    private func speed(_ trace: [TraceSample], end: Double) -> String {
        var points: [(time: Double, speed: Double)] = [(0, 0)]
        var last = (time: 0.0, bytes: Int64(0))
        for sample in trace where sample.time - last.time >= end / 40 {
            points.append((sample.time, Double(sample.bytes - last.bytes) / (sample.time - last.time)))
            last = (sample.time, sample.bytes)
        }
        let fastest = max(points.map(\.speed).max() ?? 1, 1)
        let path = points.map { point in
            (x: point.time / end * Self.width, y: (1 - max(0, point.speed) / fastest) * Self.height / 2 + 10)
        }
        return Self.polyline(path, "#2a7")
            + "<text x=\"4\" y=\"22\">\(ByteFormat.speed(fastest))</text>"
            + Self.timeAxis(end, Self.height / 2 + 16)
    }

    private func segments(_ trace: [TraceSample], end: Double, length: Int64) -> String {
        func place(_ time: Double, _ offset: Int64) -> (x: Double, y: Double) {
            (time / end * Self.width, (1 - Double(offset) / Double(max(length, 1))) * Self.height)
        }
        var lives: [Int64: [(x: Double, y: Double)]] = [:]
        for sample in trace {
            for segment in sample.segments where segment.count == 3 {
                let known = lives[segment[0]]
                if known == nil { lives[segment[0]] = [place(sample.time, segment[0])] }
                lives[segment[0]]?.append(place(sample.time, segment[1]))
            }
        }
        let colors = ["#27a", "#2a7", "#a52", "#87c", "#b83", "#399", "#c46", "#684"]
        let lines = lives.sorted { $0.key < $1.key }.enumerated().map { index, life in
            Self.polyline(life.value, colors[index % colors.count])
        }
        return lines.joined() + "<text x=\"4\" y=\"12\">\(ByteFormat.size(length))</text>"
            + Self.timeAxis(end, Self.height + 16)
    }

    // MARK: SVG

    private static func svg(height: Double, _ content: String) -> String {
        "<svg viewBox=\"0 0 \(number(width)) \(number(height))\" width=\"\(number(width))\" height=\"\(number(height))\">\(content)</svg>"
    }

    private static func polyline(_ points: [(x: Double, y: Double)], _ color: String) -> String {
        let text = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        return "<polyline points=\"\(text)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\"/>"
    }

    private static func timeAxis(_ end: Double, _ y: Double) -> String {
        "<text x=\"0\" y=\"\(number(y))\">0</text><text x=\"\(number(width - 50))\" y=\"\(number(y))\">\(BenchTable.fixed(end)) s</text>"
    }

    private static func number(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

internal import SegmentedDL
internal import SegmentedDLMirror

/// A file drawn as a row of cells: the bytes on disk, the positions of connections, and the missing bytes.
enum SegmentMap {
    enum Cell: Sendable, Hashable {
        case missing
        /// 1, 2 or 3 for up to a third, up to two thirds, or more.
        case partial(Int)
        case complete
        case writing
    }

    /// Returns the map as text, exactly `width` columns wide.
    static func text(
        total: Int64, completed: [ByteRange], active: [DownloadProgress.ActiveSegment], width: Int,
        unicode: Bool
    ) -> String {
        let cells = cells(total: total, completed: completed, active: active, width: width)
        return String(cells.map { character($0, unicode: unicode) })
    }

    static func cells(
        total: Int64, completed: [ByteRange], active: [DownloadProgress.ActiveSegment], width: Int
    ) -> [Cell] {
        guard width > 0 else { return [] }
        // An empty file is complete.
        guard total > 0 else { return Array(repeating: .complete, count: width) }
        // If there are more cells than bytes, each byte gets several cells; otherwise some cells would have
        // no byte.
        let scale = Scale(total: total, cells: Int64(width))
        let ranges = disjoint(completed, total: total)
        var cells: [Cell] = []
        var next = 0
        for index in 0..<Int64(width) {
            let span = scale.span(of: index)
            while next < ranges.count, ranges[next].upperBound <= span.lowerBound { next += 1 }
            var covered: Int64 = 0
            var each = next
            while each < ranges.count, ranges[each].lowerBound < span.upperBound {
                let overlap = ranges[each].clamped(to: span)
                covered += overlap.upperBound - overlap.lowerBound
                each += 1
            }
            cells.append(cell(covered: covered, of: span.upperBound - span.lowerBound))
        }
        for segment in active {
            // A segment that has received all of its bytes is shown at its last one.
            let position = min(max(0, min(segment.position, segment.end - 1)), total - 1)
            cells[Int(scale.cell(of: position))] = .writing
        }
        return cells
    }

    static func character(_ cell: Cell, unicode: Bool) -> Character {
        // All of these are in the original PC character set, so that they are in the font of even a bare
        // console.
        switch cell {
        case .missing: unicode ? "·" : "."
        case .partial(1): unicode ? "░" : "+"
        case .partial(2): unicode ? "▒" : "+"
        case .partial: unicode ? "▓" : "+"
        case .complete: unicode ? "█" : "#"
        case .writing: unicode ? "►" : ">"
        }
    }

    private static func cell(covered: Int64, of length: Int64) -> Cell {
        if covered <= 0 { return .missing }
        if covered >= length { return .complete }
        let part = Double(covered) / Double(length)
        return .partial(part < 1.0 / 3 ? 1 : part < 2.0 / 3 ? 2 : 3)
    }

    private static func disjoint(_ ranges: [ByteRange], total: Int64) -> [ByteRange] {
        var result: [ByteRange] = []
        let inside = ranges.map { $0.clamped(to: 0..<total) }.filter { !$0.isEmpty }
        for range in inside.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// The bytes of a cell, exact and without overflow for every length.
    private struct Scale {
        var total: Int64
        var cells: Int64

        func span(of cell: Int64) -> ByteRange {
            let start = min(edge(cell), total - 1)
            return start..<max(start + 1, edge(cell + 1))
        }

        func cell(of byte: Int64) -> Int64 {
            // The product can exceed 64 bits.
            let product = byte.multipliedFullWidth(by: cells)
            return min(total.dividingFullWidth(product).quotient, cells - 1)
        }

        private func edge(_ cell: Int64) -> Int64 {
            total / cells * cell + total % cells * cell / cells
        }
    }
}

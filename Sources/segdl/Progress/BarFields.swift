internal import SegmentedDL

/// The fields that fit on a file's line, and their columns.
///
/// All files of a frame share the fields, so that the columns line up.
struct BarFields: Sendable, Hashable {
    enum Field: Sendable, Hashable {
        case map, percent, size, longSize, speed, remaining, connections

        /// The number of columns; the map has at least this many.
        var width: Int {
            switch self {
            case .map: 10
            case .percent: 4
            case .size: ByteFormat.sizeWidth
            case .longSize: 2 * ByteFormat.sizeWidth + 3
            case .speed: ByteFormat.speedWidth
            case .remaining: ByteFormat.durationWidth
            case .connections: 7
            }
        }
    }

    static let gap = 2

    /// The choices, in order of decreasing width: first the remaining time is omitted, then the connections,
    /// the size, and the map.
    private static let flatChoices: [[Field]] = [
        [.map, .percent, .size, .speed, .remaining, .connections],
        [.map, .percent, .size, .speed, .connections],
        [.map, .percent, .size, .speed],
        [.map, .percent, .speed],
        [.percent, .speed],
        [.percent],
    ]

    /// The choices for a file whose map has a separate line.
    private static let tallChoices: [[Field]] = [
        [.percent, .longSize, .speed, .remaining, .connections],
        [.percent, .size, .speed, .remaining, .connections],
        [.percent, .size, .speed, .connections],
        [.percent, .size, .speed],
        [.percent, .speed],
        [.percent],
    ]

    private(set) var fields: [Field]
    private(set) var nameWidth: Int
    private(set) var mapWidth = 0

    /// Creates the widest choice that fits; it has no fields if not even the percentage fits next to a name.
    ///
    /// - Parameter longestName: The width of the longest name to show.
    init(columns: Int, longestName: Int, isTall: Bool) {
        let choices = isTall ? Self.tallChoices : Self.flatChoices
        fields =
            choices.first { fields in
                // A few letters of a name are better than none.
                let enough = fields == [.percent] ? 3 : 12
                return Self.width(fields) + min(longestName, enough) <= columns
            } ?? []
        let room = max(0, columns - Self.width(fields))
        nameWidth = room
        if fields.contains(.map) {
            // The map gets two thirds of the remaining columns, plus all that the names do not need.
            nameWidth = min(longestName, max(12, room / 3))
            nameWidth = min(nameWidth, room)
            mapWidth = Field.map.width + room - nameWidth
        }
    }

    func width(of field: Field) -> Int {
        field == .map ? mapWidth : field.width
    }

    private static func width(_ fields: [Field]) -> Int {
        fields.reduce(0) { $0 + $1.width + gap }
    }
}

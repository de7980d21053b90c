/// The fields that fit in the rows of a window. Their columns do not depend on the names.
struct ScreenColumns: Sendable, Hashable {
    /// The width of the selection marker, the state marker, and a space.
    static let lead = 3

    /// In order of decreasing width, each with the number of columns that a name still needs.
    private static let choices: [(fields: [BarFields.Field], name: Int)] = [
        ([.map, .percent, .longSize, .speed, .remaining, .connections], 28),
        ([.map, .percent, .size, .speed, .remaining, .connections], 18),
        ([.percent, .size, .speed, .remaining], 16),
        ([.percent, .speed, .remaining], 14),
        ([.percent, .speed], 8),
        ([.percent], 3),
    ]

    let columns: Int
    let fields: [BarFields.Field]
    let nameWidth: Int
    private let mapWidth: Int

    init(columns: Int) {
        self.columns = columns
        fields = Self.choices.first { Self.lead + Self.width($0.fields) + $0.name <= columns }?.fields ?? []
        let room = max(0, columns - Self.lead - Self.width(fields))
        // Longer names are rare; the bar gets half of the remaining columns.
        let spare = fields.contains(.map) ? max(0, room - 32) / 2 : 0
        mapWidth = BarFields.Field.map.width + spare
        nameWidth = room - spare
    }

    /// The number of columns for text in place of all fields.
    var noteWidth: Int { columns - Self.lead - nameWidth - BarFields.gap }

    func width(of field: BarFields.Field) -> Int {
        field == .map ? mapWidth : Self.width(of: field)
    }

    var titles: StyledLine {
        guard !fields.isEmpty else { return StyledLine() }
        let name = TextWidth.shortened("NAME", to: nameWidth, ellipsis: " ")
        var text = String(repeating: " ", count: Self.lead) + TextWidth.padded(name, to: nameWidth)
        for field in fields {
            text += String(repeating: " ", count: BarFields.gap)
            text += TextWidth.padded(Self.title(field), to: width(of: field), leading: field != .map)
        }
        return StyledLine(text, .dim)
    }

    private static func width(_ fields: [BarFields.Field]) -> Int {
        fields.reduce(0) { $0 + width(of: $1) + BarFields.gap }
    }

    /// Returns the width of a field. The number of connections has its own column here, under a title.
    private static func width(of field: BarFields.Field) -> Int {
        field == .connections ? 4 : field.width
    }

    private static func title(_ field: BarFields.Field) -> String {
        switch field {
        case .map: "PROGRESS"
        case .percent: "DONE"
        case .size, .longSize: "SIZE"
        case .speed: "SPEED"
        case .remaining: "LEFT"
        case .connections: "CONN"
        }
    }
}

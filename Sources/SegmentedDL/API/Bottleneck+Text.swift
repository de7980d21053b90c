extension Bottleneck {
    /// A sentence for users about an active download; the name of the kind if this version does not know it.
    public var description: String {
        let allowed = connections == 1 ? "1 connection is" : "\(number) connections are"
        return switch kind {
        case .connectionRate: "The server limits each of \(number) connections to \(speed)."
        case .line: "The link is saturated at \(speed): more connections would not help."
        case .loss: "The link loses packets: over \(trip), \(each) reaches \(speed)."
        case .roundTrip: "The server is \(trip) away, and its connections are still getting faster."
        case .segmentCap: "Only \(allowed) allowed for one file, and each reaches \(speed)."
        case .connectionCap: "All \(number) allowed connections are in use."
        case .hostCap: "All \(number) connections allowed to one server, for all its files, are in use."
        case .requestCap: "All requests allowed to one server are in progress, for \(part)."
        case .rateCap: "The cap of \(speed) on the speed of all downloads is reached."
        case .fileRateCap: "The cap of \(speed) on the speed of this file is reached."
        case .refusals: "The server is busy and accepts no further connections, for \(part)."
        case .answers: "The server is silent, for \(part)."
        case .noRanges: "The server sends no byte ranges, so one connection fetches the whole file."
        case .disk: "The disk is slower than the network, for \(part)."
        case .processor: "The CPU is the bottleneck, for \(part)."
        default: kind.rawValue
        }
    }

    /// The sentence about an ended download.
    public var pastDescription: String {
        let allowed = connections == 1 ? "1 connection was" : "\(number) connections were"
        return switch kind {
        case .connectionRate: "The server limited each of \(number) connections to \(speed)."
        case .line: "The link was saturated at \(speed): more connections would not have helped."
        case .loss: "The link lost packets: over \(trip), \(each) reached \(speed)."
        case .roundTrip:
            "The server was \(trip) away, and the file was complete before its connections were fast."
        case .segmentCap: "Only \(allowed) allowed for one file, and each reached \(speed)."
        case .connectionCap: "All \(number) allowed connections were in use."
        case .hostCap: "All \(number) connections allowed to one server, for all its files, were in use."
        case .requestCap: "All requests allowed to one server were in progress, for \(part)."
        case .rateCap: "The cap of \(speed) on the speed of all downloads was reached."
        case .fileRateCap: "The cap of \(speed) on the speed of this file was reached."
        case .refusals: "The server was busy and accepted no further connections, for \(part)."
        case .answers: "The server was silent, for \(part)."
        case .noRanges: "The server sent no byte ranges, so one connection fetched the whole file."
        case .disk: "The disk was slower than the network, for \(part)."
        case .processor: "The CPU was the bottleneck, for \(part)."
        default: kind.rawValue
        }
    }

    private var number: Int { connections ?? 0 }

    private var trip: String { "a round trip of \(Int(((roundTripSeconds ?? 0) * 1000).rounded())) ms" }

    private var each: String { number == 1 ? "its connection" : "each of \(number) connections" }

    private var part: String { "\(Int((share * 100).rounded())) % of the time" }

    private var speed: String {
        let value = max(0, bytesPerSecond ?? 0)
        let units = [(1_073_741_824.0, "GiB/s"), (1_048_576, "MiB/s"), (1024, "KiB/s")]
        guard let (unit, name) = units.first(where: { value >= $0.0 }) else { return "\(Int(value)) B/s" }
        let tenths = Int((min(value / unit, 1e6) * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
    }
}

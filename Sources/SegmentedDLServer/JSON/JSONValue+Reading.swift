#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension JSONValue {
    /// The maximum nesting of arrays and objects; deeper input is refused unparsed.
    package static let deepest = 64

    /// The reason why bytes are not accepted as JSON.
    package struct ReadingError: Error, Equatable {
        package var reason: String
    }

    /// Parses a value.
    ///
    /// - Throws: `ReadingError` if the bytes are not JSON, or are nested more than ``deepest`` levels deep.
    package init(parsing bytes: [UInt8]) throws(ReadingError) {
        guard Self.depth(of: bytes) <= Self.deepest else {
            throw ReadingError(reason: "The JSON has more than \(Self.deepest) levels.")
        }
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw ReadingError(reason: "The text is not JSON.")
        }
    }

    /// Returns the maximum number of simultaneously open brackets, outside of strings.
    private static func depth(of bytes: [UInt8]) -> Int {
        var (depth, deepest) = (0, 0)
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return deepest
    }
}

extension JSONValue: Decodable {
    /// Decodes any value.
    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            self = .object(
                try Dictionary(
                    uniqueKeysWithValues: container.allKeys.map {
                        ($0.stringValue, try container.decode(JSONValue.self, forKey: $0))
                    }))
        } else if var container = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !container.isAtEnd { values.append(try container.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try Self.scalar(try decoder.singleValueContainer())
        }
    }

    private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(String.self) { return .string(value) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int64.self) { return .integer(value) }
        // Large numbers are written without a fraction, so both forms must have the same value.
        let number = try container.decode(Double.self)
        return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

internal import CSegXML

/// Collects the events of libxml2's callbacks until the parser consumes them.
final class EventCollector {
    /// The parser that makes the callbacks; it outlives each of them.
    var context: xmlParserCtxtPtr?
    /// True if the document declares a type.
    private(set) var hasDocumentType = false
    private let library: SegXML
    private let elements: Set<String>?
    private var events: [MarkupEvent] = []
    /// The number of selected HTML elements that are open.
    private var open = 0

    /// - Parameter elements: The HTML elements to report, with their text; `nil` for all of XML.
    init(_ library: SegXML, elements: Set<String>?) {
        self.library = library
        self.elements = elements
    }

    /// Returns the collector in a callback's context. Unretained, because the parser that makes the call
    /// retains it.
    static func of(_ user: UnsafeMutableRawPointer?) -> EventCollector? {
        user.map { Unmanaged<EventCollector>.fromOpaque($0).takeUnretainedValue() }
    }

    func take() -> [MarkupEvent] {
        defer { events.removeAll() }
        return events
    }

    /// Stops the parser before it reads the document type declaration.
    func refuseDocumentType() {
        hasDocumentType = true
        library.xmlStopParser(context)
    }

    /// Adds an XML start tag. Each attribute has five pointers: its name, prefix, namespace, and its value's
    /// start and end.
    func start(
        _ name: UnsafePointer<xmlChar>?, _ namespace: UnsafePointer<xmlChar>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) {
        var found: [String: String] = [:]
        if let attributes {
            for index in 0..<count {
                let fields = attributes + index * 5
                guard let name = Self.string(fields[0]), fields[1] == nil, let start = fields[3],
                    let end = fields[4]
                else { continue }
                found[name] = String(
                    decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
            }
        }
        events.append(
            .start(name: Self.string(name) ?? "", namespace: Self.string(namespace), attributes: found))
    }

    /// Adds an HTML start tag. Attributes are pairs of names and values, terminated by a null pointer.
    func start(
        _ name: UnsafePointer<xmlChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard let name = Self.string(name), elements?.contains(name) ?? true else { return }
        var found: [String: String] = [:]
        if var next = attributes {
            while let attribute = Self.string(next[0]) {
                found[attribute] = found[attribute] ?? Self.string(next[1]) ?? ""
                next += 2
            }
        }
        open += 1
        events.append(.start(name: name, namespace: nil, attributes: found))
    }

    func end(_ name: UnsafePointer<xmlChar>?) {
        // Most elements of a listing are not selected ones.
        guard elements == nil || open > 0, let name = Self.string(name), elements?.contains(name) ?? true
        else { return }
        open -= 1
        events.append(.end(name: name))
    }

    func text(_ start: UnsafePointer<xmlChar>?, count: Int) {
        guard let start, elements == nil || open > 0 else { return }
        events.append(.text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)))
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String? {
        text.map { String(cString: $0) }
    }
}

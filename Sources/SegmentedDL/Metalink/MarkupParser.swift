internal import CSegXML

/// An event of an XML or HTML parser, in the document's order.
package enum MarkupEvent: Equatable, Sendable {
    /// A start tag. In XML the name has no prefix; in HTML names are in lower case.
    case start(name: String, namespace: String?, attributes: [String: String])
    /// An end tag, explicit or implied by HTML.
    case end(name: String)
    /// Text with entities replaced; it may be delivered in several parts.
    case text(String)
}

/// The language of a document, and the events to report.
package enum MarkupLanguage: Sendable {
    /// XML 1.0 with namespaces: all events are reported, and malformed documents are an error.
    case xml
    /// HTML, with a browser's error tolerance: only these elements are reported, and text only within them.
    case html(elements: Set<String>)
}

/// Finds the end tags of `html`, and changes them into those of an unknown element, which are ignored:
/// libxml2 ends a document there, while browsers show everything after it.
private struct EndTagMatch {
    private static let tag = Array("</html".utf8)
    /// The number of bytes of the tag at the end of the previous bytes.
    private var count = 0

    mutating func replace(in bytes: inout [UInt8]) {
        for index in bytes.indices {
            let byte = bytes[index]
            let isNext = byte == Self.tag[count] || count > 1 && byte | 0x20 == Self.tag[count]
            count = isNext ? count + 1 : byte == Self.tag[0] ? 1 : 0
            guard count == Self.tag.count else { continue }
            bytes[index] = UInt8(ascii: "x")
            count = 0
        }
    }
}

/// Parses XML and HTML incrementally with libxml2, from bytes to events.
///
/// It loads no external entities, and expands only the five predefined ones and, in HTML, the standard ones.
/// It rejects a document type in XML, because the documents read here never declare one.
package struct MarkupParser: ~Copyable {
    /// The number of bytes passed to libxml2 at a time, regardless of those passed to `feed`, so that results
    /// do not depend on how the bytes arrive.
    private static let blockSize = 16 * 1024

    /// The maximum size of one tag, comment or text, because libxml2 keeps it in memory until its end.
    private static let longestToken = 256 * 1024

    /// The maximum depth of elements, because libxml2 searches the open ones for each end tag.
    private static let deepest = 1000

    private let library: SegXML
    private let context: xmlParserCtxtPtr
    private let isHTML: Bool
    /// The document's name in messages.
    private let name: String
    private let collector: EventCollector
    private var block: [UInt8] = []
    /// The part of `</html` at the end of the previous blocks.
    private var endTag = EndTagMatch()
    private var strays = StrayBytes()

    /// - Throws: `DownloadError` with code `badResponse` if libxml2 is out of memory, and the errors of
    ///   `XMLLibrary.functions`.
    package init(_ language: MarkupLanguage, name: String) throws(DownloadError) {
        let library = try XMLLibrary.functions()
        let (isHTML, collector) =
            switch language {
            case .xml: (false, EventCollector(library, elements: nil))
            case .html(let elements): (true, EventCollector(library, elements: elements))
            }
        // Unretained: the collector lives as long as `self`, and libxml2 calls it only within `push`.
        let user = Unmanaged.passUnretained(collector).toOpaque()
        var handler = isHTML ? Self.htmlHandler : Self.xmlHandler
        let made =
            isHTML
            ? library.htmlCreatePushParserCtxt(&handler, user, nil, 0, nil, XML_CHAR_ENCODING_UTF8)
            : library.xmlCreatePushParserCtxt(&handler, user, nil, 0, nil)
        guard let made else {
            throw DownloadError(.badResponse, "Out of memory while reading '\(name)'.")
        }
        self.name = name
        self.library = library
        self.isHTML = isHTML
        self.collector = collector
        context = made
        collector.context = made
        if isHTML {
            _ = library.htmlCtxtUseOptions(
                made,
                CInt(
                    HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
                        | HTML_PARSE_NOWARNING.rawValue))
        } else {
            _ = library.xmlCtxtUseOptions(
                made,
                CInt(
                    XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
                        | XML_PARSE_NOCDATA.rawValue))
        }
    }

    deinit {
        // Without a handler, libxml2 would store entity declarations in an unused document.
        if let document = context.pointee.myDoc { library.xmlFreeDoc(document) }
        if isHTML { library.htmlFreeParserCtxt(context) } else { library.xmlFreeParserCtxt(context) }
    }

    /// Parses the next bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if XML is malformed, or a tag is unterminated.
    package mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [MarkupEvent] {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.blockSize - block.count)
            block.append(contentsOf: part)
            rest = rest[part.endIndex...]
            if block.count == Self.blockSize { try push(isLast: false) }
        }
        return collector.take()
    }

    /// Ends the document. Call it once.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if XML is malformed or truncated.
    package mutating func finish() throws(DownloadError) -> [MarkupEvent] {
        if !block.isEmpty { try push(isLast: false) }
        try push(isLast: true)
        return collector.take()
    }

    private mutating func push(isLast: Bool) throws(DownloadError) {
        if isHTML {
            block = strays.escaped(block, isLast: isLast)
            endTag.replace(in: &block)
        }
        block.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            let count = CInt(bytes.count)
            if isHTML {
                seg_look_again(context)
                _ = library.htmlParseChunk(context, start, count, isLast ? 1 : 0)
            } else {
                _ = library.xmlParseChunk(context, start, count, isLast ? 1 : 0)
            }
        }
        block.removeAll(keepingCapacity: true)
        if collector.hasDocumentType {
            throw DownloadError(
                .badResponse,
                "'\(name)' declares a document type, which could load or expand anything; it was not read.")
        }
        if !isHTML, context.pointee.wellFormed == 0 { throw malformed() }
        guard context.pointee.nameNr <= Self.deepest else {
            throw DownloadError(
                .badResponse,
                "'\(name)' nests elements more than \(Self.deepest) levels deep; it was not read.")
        }
        if let input = context.pointee.input, input.pointee.end - input.pointee.cur > Self.longestToken {
            throw DownloadError(
                .badResponse,
                "'\(name)' has a tag, comment or text of more than \(Self.longestToken) bytes; it was not read."
            )
        }
    }

    private func malformed() -> DownloadError {
        var place = ""
        var reason = "it is truncated"
        if let error = library.xmlCtxtGetLastError(context) {
            place = " at line \(error.pointee.line), column \(error.pointee.int2)"
            if let message = error.pointee.message {
                reason = String(String(cString: message).prefix { !$0.isNewline })
            }
        }
        return DownloadError(
            .badResponse, "'\(name)' is not well-formed XML\(place): \(Printable.text(reason)).")
    }

    private static var xmlHandler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.startElementNs = { user, name, _, namespace, _, _, count, _, attributes in
            EventCollector.of(user)?.start(name, namespace, attributes, count: Int(count))
        }
        handler.endElementNs = { user, name, _, _ in EventCollector.of(user)?.end(name) }
        handler.characters = { user, text, count in EventCollector.of(user)?.text(text, count: Int(count)) }
        handler.internalSubset = { user, _, _, _ in EventCollector.of(user)?.refuseDocumentType() }
        return handler
    }

    private static var htmlHandler: htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.startElement = { user, name, attributes in
            EventCollector.of(user)?.start(name, attributes)
        }
        handler.endElement = { user, name in EventCollector.of(user)?.end(name) }
        handler.characters = { user, text, count in EventCollector.of(user)?.text(text, count: Int(count)) }
        return handler
    }
}

/// libxml2, loaded when the first document is read. Otherwise, with the system's ICU, it would account for a
/// third of a program's startup time and a tenth of its memory.
enum XMLLibrary {
    /// Returns the functions of libxml2, ready for use.
    ///
    /// - Throws: `DownloadError` with code `ioFailed` if the system lacks the libxml2 version that this
    ///   program was built for.
    static func functions() throws(DownloadError) -> SegXML {
        try loaded.get()
    }

    private static let loaded = load()

    private static func load() -> Result<SegXML, DownloadError> {
        withUnsafeTemporaryAllocation(of: SegXML.self, capacity: 1) { functions in
            guard let address = functions.baseAddress, seg_xml_load(address) else {
                let reason = dlerror().map { String(cString: $0) } ?? "it lacks a function"
                return .failure(
                    DownloadError(
                        .ioFailed,
                        "Listings and Metalinks need libxml2, which cannot be loaded (\(reason)); install it."
                    ))
            }
            address.pointee.xmlInitParser()
            return .success(address.pointee)
        }
    }
}

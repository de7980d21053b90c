/// An event of an XML or HTML parser, in the document's order.
package enum MarkupEvent: Equatable, Sendable {
    /// A start tag. In XML the name has no prefix; in HTML names are in lower case.
    case start(name: String, namespace: String?, attributes: [String: String])
    /// An end tag, explicit or implied by HTML.
    case end(name: String)
    /// Text with its entities replaced; a text may be delivered in several parts.
    case text(String)
}

/// The language of a document, and the events to report.
package enum MarkupLanguage: Sendable {
    /// XML 1.0 with namespaces: all events are reported, and malformed documents are an error.
    case xml
    /// HTML, with a browser's error tolerance: only these elements are reported, and text only within them.
    case html(elements: Set<String>)
}

/// An event of a parser of XML or HTML, in the document's order.
package enum MarkupEvent: Equatable, Sendable {
    /// A start tag. In XML the name is without its prefix; in HTML names are in lower case.
    case start(name: String, namespace: String?, attributes: [String: String])
    /// An end tag, or a place that HTML takes for one.
    case end(name: String)
    /// Text with its entities replaced; one text may come in several parts.
    case text(String)
}

/// The language of a document, and the events that count.
package enum MarkupLanguage: Sendable {
    /// XML 1.0 with namespaces: all events count, and malformed documents are an error.
    case xml
    /// HTML, with a browser's tolerance for errors: only these elements count, and text only within them.
    case html(elements: Set<String>)
}

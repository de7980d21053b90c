/// What a parser of XML or HTML meets, in the document's order.
enum MarkupEvent: Equatable, Sendable {
    /// A start tag. In XML the name is without its prefix; in HTML names are in lower case.
    case start(name: String, namespace: String?, attributes: [String: String])
    /// An end tag, or what HTML takes for one.
    case end(name: String)
    /// Text with its entities replaced; one text may come in several parts.
    case text(String)
}

/// What is parsed, and which of its events are of interest.
enum MarkupLanguage: Sendable {
    /// XML 1.0 with namespaces: everything counts, and malformed documents are an error.
    case xml
    /// HTML, recovered from as browsers do: only start tags of these elements count, and no text.
    case html(elements: Set<String>)
}

/// The body of a request other than GET.
package enum RequestBody: Sendable, Equatable {
    /// A POST with a form (`application/x-www-form-urlencoded`).
    case form(String)
    /// A PUT without a body.
    case emptyPut

    /// Secrets in the body, which must not appear in messages.
    var secrets: [String] {
        switch self {
        case .form(let text): text.split { $0 == "&" || $0 == "=" }.map(String.init)
        case .emptyPut: []
        }
    }
}

internal import SegmentedDL

/// The API that a hub speaks.
enum HubDialect: Sendable, Hashable {
    /// The API of the Hugging Face Hub.
    case huggingFace
    /// The API of ModelScope. The official client `modelscope_hub` is its only specification.
    case modelScope

    private static let hostsOfModelScope: Set = [
        "modelscope.cn", "www.modelscope.cn", "modelscope.ai", "www.modelscope.ai",
    ]

    /// - Parameter named: The endpoint in the variable of ModelScope's client; `nil` for none.
    init(of endpoint: Source, named: Source?) {
        self =
            Self.hostsOfModelScope.contains(endpoint.origin.host) || endpoint == named
            ? .modelScope : .huggingFace
    }

    var defaultRevision: String {
        switch self {
        case .huggingFace: HubLocation.defaultRevision
        case .modelScope: "master"
        }
    }

    /// The variables for the token; the first one that is set is used.
    var tokenVariables: [String] {
        switch self {
        case .huggingFace: ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"]
        case .modelScope: ["MODELSCOPE_API_TOKEN"]
        }
    }

    /// Returns the header fields that authenticate a request.
    func headers(_ token: String) -> [HTTPHeader] {
        let bearer = HTTPHeader("Authorization", "Bearer \(token)")
        return switch self {
        case .huggingFace: [bearer]
        // Older parts of the API only accept the cookie; the official client sends both.
        case .modelScope: [bearer, HTTPHeader("Cookie", "m_session_id=\(token)")]
        }
    }

    /// The path of the page on which users create tokens.
    var tokenPage: String {
        switch self {
        case .huggingFace: "settings/tokens"
        case .modelScope: "my/myaccesstoken"
        }
    }

    /// Returns the path prefix before the repository's name on the hub's own pages.
    func prefix(of kind: HubLocation.Kind) -> String {
        switch (self, kind) {
        case (.huggingFace, .model): ""
        case (.modelScope, .space): "studios/"
        case (.huggingFace, _), (.modelScope, _): "\(kind.rawValue)/"
        }
    }
}

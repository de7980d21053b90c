internal import SegmentedDL
import SegmentedDLOptions

/// aria2's proxy options, as the environment variables that libcurl reads.
enum Aria2Proxies {
    private static let protocols = ["http", "https", "all"]

    /// The options for a proxy, or for hosts without one.
    static let names: [String] =
        protocols.flatMap { ["\($0)-proxy", "\($0)-proxy-user", "\($0)-proxy-passwd"] } + ["no-proxy"]

    /// Returns the variables to set: the command line overrides the environment, which overrides the
    /// configuration file (aria2's manual, ENVIRONMENT).
    static func variables(
        command: Aria2Values, configuration: Aria2Values, environment: (String) -> String?
    ) -> [String: String] {
        var variables: [String: String] = [:]
        for name in protocols.map({ "\($0)-proxy" }) + ["no-proxy"] {
            let variable = name == "no-proxy" ? "no_proxy" : name.replacing("-", with: "_")
            guard let value = command.text(name) ?? environment(variable) ?? configuration.text(name) else {
                continue
            }
            let all = configuration.overridden(by: command)
            variables[variable] = withUser(
                value, all.nonEmpty("\(name)-user"), all.text("\(name)-passwd") ?? "")
        }
        return variables
    }

    /// Adds a user name and a password to a proxy's URL, unless it already has them.
    private static func withUser(_ url: String, _ user: String?, _ password: String) -> String {
        guard let user, !url.isEmpty, !url.contains("@") else { return url }
        let secret = "\(PercentEncoding.query(user)):\(PercentEncoding.query(password))@"
        guard let slashes = url.firstRange(of: "://") else { return "http://\(secret)\(url)" }
        return "\(url[..<slashes.upperBound])\(secret)\(url[slashes.upperBound...])"
    }
}

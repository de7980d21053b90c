/// The options that change something here: name, letter, kind of value, aria2's default (aria2c(1), OPTIONS).
enum Aria2OptionTable {
    /// The options of one file.
    static let ofFile = """
        allow-overwrite - flag
        auto-file-renaming - flag true
        checksum - checksum
        conditional-get - flag
        continue c flag
        dir d path
        follow-metalink - choice:true,mem,false true
        force-save - flag
        gid - text
        header - list
        http-no-cache - flag
        http-passwd - text
        http-user - text
        max-connection-per-server x number:1..16 1
        max-download-limit - size:0.. 0
        max-file-not-found - number:0.. 0
        out o path
        parameterized-uri P flag
        referer - text
        remote-time R flag
        remove-control-file - flag
        split s number:1.. 5
        user-agent U text
        """

    /// The options of the whole run.
    static let ofRun = """
        all-proxy - text
        all-proxy-passwd - text
        all-proxy-user - text
        ca-certificate - path
        certificate - path
        check-certificate - flag true
        conf-path - path
        connect-timeout - number:1..600 60
        console-log-level - choice:debug,info,notice,warn,error notice
        disable-ipv6 - flag
        download-result - choice:default,full,hide default
        dry-run - flag
        enable-color - flag true
        force-sequential Z flag
        help h optional
        http-proxy - text
        http-proxy-passwd - text
        http-proxy-user - text
        https-proxy - text
        https-proxy-passwd - text
        https-proxy-user - text
        human-readable - flag true
        input-file i path
        interface - text
        load-cookies - path
        log l path
        log-level - choice:debug,info,notice,warn,error debug
        lowest-speed-limit - size:0.. 0
        max-concurrent-downloads j number:1.. 5
        max-overall-download-limit - size:0.. 0
        max-tries m number:0.. 5
        min-split-size k size:1048576..1073741824 20M
        no-conf - flag
        no-netrc n flag
        no-proxy - text
        on-download-complete - path
        on-download-error - path
        on-download-start - path
        on-download-stop - path
        private-key - path
        quiet q flag
        retry-wait - number:0..600 0
        save-not-found - flag true
        save-session - path
        show-console-readout - flag true
        stderr - flag
        stop - number:0.. 0
        summary-interval - number:0.. 60
        timeout t number:1..600 60
        truncate-console-readout - flag true
        version v command
        """

    /// The options of the daemon.
    static let ofDaemon = """
        enable-rpc - flag
        on-download-pause - path
        pause - flag
        pause-metadata - flag
        rpc-allow-origin-all - flag
        rpc-certificate - path
        rpc-listen-all - flag
        rpc-listen-port - number:1024..65535 6800
        rpc-max-request-size - size:0.. 2M
        rpc-passwd - text
        rpc-private-key - path
        rpc-save-upload-metadata - flag true
        rpc-secret - text
        rpc-secure - flag
        rpc-user - text
        """
}

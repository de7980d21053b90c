/// aria2's options (aria2c(1), OPTIONS), one per line: name, letter or `-`, kind of value, aria2's default if
/// any. After the bar are words that ``Aria2Option`` explains.
enum Aria2OptionTable {
    /// The options for one file.
    static let ofFile = """
        allow-overwrite - flag | listed call fetch=--if-exists,replace
        auto-file-renaming - flag true | listed unmirrored call fetch=--if-exists,rename
        checksum - checksum | call one
        conditional-get - flag | listed call fetch=--if-exists,update
        continue c flag | listed call
        dir d path | call fetch:--directory
        follow-metalink - choice:true,mem,false true | call:false fetch:default
        force-save - flag | list call:true
        gid - text | list call one
        header - list | call
        http-no-cache - flag | listed call
        http-passwd - text | call
        http-user - text | call fetch:--user
        max-connection-per-server x number:1..16 1 | listed call:none fetch:--max-connections-per-host
        max-download-limit - size:0.. 0 | listed call fetch:--limit-rate-per-file
        max-file-not-found - number:0.. 0 | list call fetch:default
        out o path | call one fetch:--output
        parameterized-uri P flag | list fixed
        referer - text | call
        remote-time R flag | listed call:true fetch=default
        remove-control-file - flag | listed unmirrored call
        split s number:1.. 5 | listed call:none fetch:--segments
        stream-piece-selector - choice:default,inorder,random,geom default | listed call fetch:default
        user-agent U text | call
        """

    /// The options for the whole run.
    static let ofRun = """
        all-proxy - text | fixed: fetch:--proxy
        all-proxy-passwd - text
        all-proxy-user - text
        ca-certificate - path | owner fetch:--cacert
        certificate - path | owner fetch:--cert
        check-certificate - flag true | fixed
        conf-path - path | owner
        connect-timeout - number:1..600 60 | list call:30
        console-log-level - choice:debug,info,notice,warn,error notice | fetch:default
        disable-ipv6 - flag | list fixed process fetch=-4
        download-result - choice:default,full,hide default | fetch:default
        dry-run - flag | fixed
        enable-color - flag true | fetch:default
        force-sequential Z flag
        help h optional
        http-proxy - text | fixed:
        http-proxy-passwd - text
        http-proxy-user - text
        https-proxy - text | fixed:
        https-proxy-passwd - text
        https-proxy-user - text
        human-readable - flag true | fetch:default
        input-file i path | owner fetch:--input
        interface - text
        load-cookies - path | owner fetch:--cookie-file
        log l path | owner
        log-level - choice:debug,info,notice,warn,error debug | fetch:default
        lowest-speed-limit - size:0.. 0 | list call fetch:--low-speed-limit
        max-concurrent-downloads j number:1.. 5 | fetch:--max-active-files
        max-overall-download-limit - size:0.. 0 | fetch:--limit-rate
        max-tries m number:0.. 5 | listed call:7 fetch:--retries
        min-split-size k size:1048576..1073741824 20M | list call:1048576 fetch:--min-segment-size
        no-conf - flag
        no-netrc n flag | list call:true fetch=default
        no-proxy - text
        on-download-complete - path | owner
        on-download-error - path | owner
        on-download-start - path | owner
        on-download-stop - path | owner
        private-key - path | owner fetch:--key
        quiet q flag
        retry-wait - number:0..600 0 | listed call fetch:--retry-delay
        save-not-found - flag true | list call
        save-session - path | owner fetch=missing
        show-console-readout - flag true | fetch:default
        stderr - flag | fetch=missing
        stop - number:0.. 0 | fixed process
        summary-interval - number:0.. 60 | call:0 process fetch:default
        timeout t number:1..600 60 | list call:20 fetch:--connect-timeout
        truncate-console-readout - flag true
        version v command
        """

    /// The options for the daemon.
    static let ofDaemon = """
        enable-rpc - flag | owner:true fetch=missing
        on-download-pause - path | owner
        pause - flag | list call one
        pause-metadata - flag | call
        rpc-allow-origin-all - flag | owner:false
        rpc-certificate - path | owner
        rpc-listen-all - flag | owner:false
        rpc-listen-port - number:1024..65535 6800 | owner:6800
        rpc-max-request-size - size:0.. 2M | owner:2M,2097152
        rpc-passwd - text | owner
        rpc-private-key - path | owner
        rpc-save-upload-metadata - flag true | owner:true,false
        rpc-secret - text | owner
        rpc-secure - flag | owner:false
        rpc-user - text | owner
        """
}

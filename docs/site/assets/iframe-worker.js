// Browsers start no worker for a page that was opened as a file, and the search of the site is one. Here its script
// runs in a hidden frame instead.
if (location.protocol === "file:") {
    window.Worker = class {
        constructor(address) {
            this.frame = document.createElement("iframe")
            this.frame.hidden = true
            const loaded = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }))
            this.window = loaded.then(() => this.frame.contentWindow)
            addEventListener("message", (event) => {
                if (event.source === this.frame.contentWindow) this.onmessage?.(event)
            })
            // In a worker postMessage leads to the page.
            const script = new URL(address, document.baseURI).href.replaceAll('"', "%22")
            this.frame.srcdoc =
                `<script>self.postMessage = (data) => parent.postMessage(data, "*")</script><script src="${script}"></script>`
            document.body.append(this.frame)
        }

        postMessage(data) {
            this.window.then((window) => window.dispatchEvent(new MessageEvent("message", { data })))
        }

        terminate() {
            this.frame.remove()
        }
    }
}

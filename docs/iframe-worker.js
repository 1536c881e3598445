// Browsers start no worker for a page of a folder (file:). The theme's search then runs its worker in a hidden frame.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const scope = frame.contentWindow;
      scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.post = data => scope.dispatchEvent(new scope.MessageEvent("message", { data }));
      this.loaded = new Promise(resolve => {
        const script = scope.document.createElement("script");
        script.onload = resolve;
        script.src = address;
        scope.document.body.append(script);
      });
    }

    postMessage(data) {
      this.loaded.then(() => this.post(data));
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}

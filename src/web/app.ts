// The page: connects to the service that it came from, and shows the fleet.

import { html, LitElement } from 'lit';
import { type WebLinkState, WebServiceClient } from '../web-client/web-client.ts';

class AgtmuxApp extends LitElement {
  static override properties = {
    link: { state: true },
    agentCount: { state: true },
  };

  declare link: WebLinkState;
  declare agentCount: number;

  constructor() {
    super();
    this.link = 'connecting';
    this.agentCount = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const url = new URL('.', document.baseURI).href.replace(/\/(?:app\/)?$/, '');
    const client = new WebServiceClient({
      url,
      onState: (link) => {
        this.link = link;
      },
    });
    void this.#follow(client);
  }

  override render() {
    return html`<p>${this.agentCount} agents, ${this.link}</p>`;
  }

  async #follow(client: WebServiceClient): Promise<void> {
    for await (const { type, data } of client.subscribe()) {
      if (type === 'snapshot' || type === 'summary_changed') this.agentCount = data.summary.agents;
    }
  }
}

customElements.define('agtmux-app', AgtmuxApp);

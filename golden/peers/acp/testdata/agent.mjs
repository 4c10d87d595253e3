// An agent on the TypeScript SDK that does what ours does: over standard input and output, or with "serve" over HTTP and
// WebSocket, at the URL that it prints.

import { createServer } from "node:http";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { WebSocketServer } from "ws";

const sessions = new Map();
let files = {}; // what the client can

function sessionOf(id) {
  const session = sessions.get(id);
  if (!session) throw acp.RequestError.resourceNotFound(id);
  return session;
}

const text = (value) => ({ type: "text", text: value });
const says = (value) => ({ sessionUpdate: "agent_message_chunk", content: text(value) });

class Turn {
  constructor(client, session) {
    Object.assign(this, { client, session, id: session.id });
    this.cancelled = new Promise((resolve) => (session.cancel = resolve));
  }

  async tell(update) {
    this.session.told.push(update);
    await this.client.notify(acp.methods.client.session.update, { sessionId: this.id, update });
  }

  async play(prompt) {
    await this.session.told.push({ sessionUpdate: "user_message_chunk", content: text(prompt) });
    const [command, argument] = prompt.split(" ");
    switch (command) {
      case "/count":
        for (let i = 1; i <= Number(argument); i++) await this.tell(says(`${i} `));
        return "end_turn";
      case "/wait":
        await this.tell(says("I am waiting."));
        await this.cancelled;
        return "cancelled";
      case "/extension":
        return this.extension();
    }
    return this.note(prompt);
  }

  async extension() {
    await this.client.notify("_typescript/hint", { a: 1 });
    try {
      await this.client.request("_typescript/weather", {});
      await this.tell(says("You know that method."));
    } catch (error) {
      if (error.code !== -32601) throw error;
      await this.tell(says("You do not know that method."));
    }
    return "end_turn";
  }

  async note(line) {
    if (!files.readTextFile || !files.writeTextFile) {
      await this.tell(says("I cannot reach the notes."));
      return "end_turn";
    }
    const path = join(this.session.folder, "notes.md");
    const progress = (status) => this.tell({ sessionUpdate: "tool_call_update", toolCallId: "call", status });
    await this.tell({ sessionUpdate: "plan", entries: [{ content: "Note", priority: "high", status: "in_progress" }] });
    await this.tell({ sessionUpdate: "tool_call", toolCallId: "call", title: "Edit", kind: "edit", status: "pending" });
    await this.tell(says("I will note that."));
    const before = await this.client.request(acp.methods.client.fs.readTextFile, { sessionId: this.id, path });
    const after = `${before.content}- ${line}\n`;
    const { outcome } = await this.client.request(acp.methods.client.session.requestPermission, {
      sessionId: this.id,
      toolCall: { toolCallId: "call", content: [{ type: "diff", path, oldText: before.content, newText: after }] },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    if (outcome.outcome === "cancelled") return "cancelled";
    if (outcome.optionId === "yes") {
      await this.client.request(acp.methods.client.fs.writeTextFile, { sessionId: this.id, path, content: after });
    }
    await progress(outcome.optionId === "yes" ? "completed" : "failed");
    return "end_turn";
  }
}

const agent = acp
  .agent({ name: "peer" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    files = params.clientCapabilities?.fs ?? {};
    return { protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: { loadSession: true } };
  })
  .onRequest(acp.methods.agent.session.new, ({ params }) => {
    const id = `${sessions.size + 1}`;
    sessions.set(id, { id, folder: params.cwd, told: [], cancel: () => {} });
    return { sessionId: id };
  })
  .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
    for (const update of sessionOf(params.sessionId).told) {
      await client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update });
    }
    // Nothing is to be told, and handlers may return nothing then.
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
    const turn = new Turn(client, sessionOf(params.sessionId));
    return { stopReason: await turn.play(params.prompt[0].text) };
  })
  .onNotification(acp.methods.agent.session.cancel, ({ params }) => sessionOf(params.sessionId).cancel());

if (process.argv[2] === "serve") {
  const server = new AcpServer({ agent });
  const http = createServer(createNodeHttpHandler(server));
  http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
  http.listen(0, "localhost", () => console.log(`http://localhost:${http.address().port}`));
} else {
  agent.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
}

// A client on the TypeScript SDK: node client.mjs SCENARIO FOLDER AGENT ARG…, or with a URL in the place of an agent.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";

const [scenario, folder, command, ...args] = process.argv.slice(2);
const remote = command.includes("://");
const agent = remote ? undefined : spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const { methods } = acp;

let updates = []; // that the handler has got
let arrived = []; // that the agent has sent
let before = 0; // how many of these were there before the latest answer
let heard = () => {};
let permit = () => assert.fail("nobody was to be asked");
let sessionId;

const pick = (kind) => ({ options }) => ({ outcome: "selected", optionId: options.find((o) => o.kind === kind).optionId });

// The SDK may hand an answer over before it has called the handlers of notifications that came ahead of it. What counts
// is the order in which the agent has sent them; the handlers catch up.
async function request(cx, method, params) {
  updates = [];
  arrived = [];
  const result = await cx.request(method, params);
  assert.equal(arrived.length, before, "an update was sent behind the answer");
  await new Promise(setImmediate);
  assert.deepEqual(updates, arrived);
  return result;
}

async function prompt(cx, text) {
  const { stopReason } = await request(cx, methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  return stopReason;
}

// watch notes what an agent sends.
const watch = new TransformStream({
  transform(message, controller) {
    if (message.method === methods.client.session.update && shown(message.params.update)) arrived.push(message.params.update);
    else if (!message.method) before = arrived.length;
    controller.enqueue(message);
  },
});

// shown leaves out what an agent sends when it likes.
const shown = (update) => update.sessionUpdate !== "available_commands_update";

const words = () => updates.map((u) => u.content?.text);
const notes = () => readFile(join(folder, "notes.md"), "utf8");
const lastStatus = () => updates.filter((u) => u.sessionUpdate === "tool_call_update").at(-1).status;
const counted = Array.from({ length: 50 }, (_, i) => `${i + 1} `);

const scenarios = {
  async order(cx) {
    for (let i = 0; i < 20; i++) {
      assert.equal(await prompt(cx, "/count 50"), "end_turn");
      assert.deepEqual(words(), counted);
    }
  },
  async allow(cx) {
    permit = pick("allow_once");
    assert.equal(await prompt(cx, "Buy milk"), "end_turn");
    assert.equal(lastStatus(), "completed");
    assert.equal(await notes(), "- Buy bread\n- Buy milk\n");
  },
  async reject(cx) {
    permit = pick("reject_once");
    assert.equal(await prompt(cx, "Buy milk"), "end_turn");
    assert.equal(lastStatus(), "failed");
    assert.equal(await notes(), "- Buy bread\n");
  },
  async cancelPermission(cx) {
    permit = async () => {
      await cx.notify(methods.agent.session.cancel, { sessionId });
      return { outcome: "cancelled" };
    };
    assert.equal(await prompt(cx, "Buy milk"), "cancelled");
    assert.equal(await prompt(cx, "/count 1"), "end_turn");
  },
  async cancelTurn(cx) {
    const waits = new Promise((resolve) => (heard = resolve));
    const ended = prompt(cx, "/wait");
    await waits;
    await cx.notify(methods.agent.session.cancel, { sessionId });
    assert.equal(await ended, "cancelled");
  },
  async extensions(cx) {
    await cx.notify("_peers/nobody.knows", { a: 1 });
    await assert.rejects(cx.request("_peers/nobody.knows", { a: 1 }), { code: -32601 });
    assert.equal(await prompt(cx, "/extension"), "end_turn");
    assert.deepEqual(words(), ["You do not know that method."]);
  },
  async load(cx) {
    await prompt(cx, "/count 50");
    await request(cx, methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
    assert.equal(updates[0].sessionUpdate, "user_message_chunk");
    assert.deepEqual(words(), ["/count 50", ...counted]);
  },
};

const stream = !remote
  ? acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout))
  : command.startsWith("ws")
    ? createWebSocketStream(command, { WebSocket })
    : createHttpStream(command);

await acp
  .client({ name: "peer" })
  .onRequest(methods.client.session.requestPermission, async ({ params }) => ({ outcome: await permit(params) }))
  .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await readFile(params.path, "utf8") }))
  // Where nothing is to be told, handlers may return nothing.
  .onRequest(methods.client.fs.writeTextFile, async ({ params }) => writeFile(params.path, params.content))
  .onNotification(methods.client.session.update, ({ params }) => {
    if (!shown(params.update)) return;
    updates.push(params.update);
    heard();
  })
  .connectWith({ ...stream, readable: stream.readable.pipeThrough(watch) }, async (cx) => {
    const said = await cx.request(methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
    });
    assert.equal(said.protocolVersion, 1);
    assert.equal(said.agentCapabilities.loadSession, true);
    ({ sessionId } = await cx.request(methods.agent.session.new, { cwd: folder, mcpServers: [] }));
    await scenarios[scenario](cx);
  });

if (agent) {
  const ended = new Promise((resolve) => agent.on("exit", resolve));
  agent.stdin.end();
  assert.equal(await ended, 0);
}
console.log("done");

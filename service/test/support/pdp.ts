/** A Cerbos PDP that can be killed, paused and restarted on the same address. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVER } from "../../../test/support/server.js";
import { end } from "./postgres-server.js";
import { until } from "./process.js";

export interface Pdp {
  /** The address of its gRPC API. */
  readonly grpc: string;
  kill(): Promise<void>;
  again(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts a PDP for a directory of policies. */
export async function startPdp(directory: string): Promise<Pdp> {
  const home = mkdtempSync(join(tmpdir(), "keyward-pdp-"));
  const [socket, config] = [join(home, "grpc.sock"), join(home, "config.json")];
  writeFileSync(
    config,
    JSON.stringify({
      server: { httpListenAddr: `unix:${join(home, "http.sock")}`, grpcListenAddr: `unix:${socket}` },
      storage: { driver: "disk", disk: { directory, watchForChanges: false } },
      schema: { enforcement: "reject" },
      telemetry: { disabled: true },
    }),
  );
  let child: ChildProcess;
  const again = async () => {
    rmSync(socket, { force: true });
    child = spawn(SERVER, ["server", `--config=${config}`, "--log-level=ERROR"], { stdio: "ignore" });
    await until("the PDP listens", () => takes(socket));
  };
  const kill = async () => {
    const ended = end(child);
    child.kill("SIGKILL");
    await ended;
  };
  await again();
  return {
    grpc: `unix:${socket}`,
    kill,
    again,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    stop: async () => {
      await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function takes(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

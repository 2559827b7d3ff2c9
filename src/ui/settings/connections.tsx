/** Whom the node dials by itself, and which servers help browsers to find a direct way. Called by settings-screen. */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { linesText, readLines, readServers } from "./setting-texts.ts";
import type { SettingsPart } from "./settings-state.ts";

export function Connections(part: SettingsPart) {
  return (
    <Section
      name="connections"
      title="Connections"
      about="Links and the host of this page bring addresses of their own; these are kept besides. No third party is asked unless it stands here."
    >
      <SettingForm
        {...part}
        name="bootstrap"
        label="Peers and relays to stay connected to"
        about="Multiaddrs, one a line. A relay lets two browsers meet; the bytes then go straight between them."
        text={linesText}
        read={readLines}
        placeholder="/dns4/node.example/tcp/443/tls/ws/p2p/12D3…"
        isList
      />
      <SettingForm
        {...part}
        name="ice_servers"
        label="STUN and TURN servers"
        about="One a line; a TURN server with its name and password, turn:name:password@host:port. They tell a browser its public address; they see that it asked, and no file."
        text={linesText}
        read={readServers}
        placeholder="stun:stun.example:3478"
        isList
      />
    </Section>
  );
}

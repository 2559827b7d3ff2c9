/** How fast files may come and go. Called by settings-screen. */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { rateText, readRate } from "./setting-texts.ts";
import type { Settings, SettingsState } from "./settings-state.ts";

export function Speed({ state, settings }: { state: SettingsState; settings: Settings }) {
  return (
    <Section name="speed" title="Speed" about="Over all peers together. Leave a field empty for no limit.">
      <SettingForm
        state={state}
        settings={settings}
        name="max_upload"
        label="Most upload, MB/s"
        about="What others get from here."
        text={rateText}
        read={readRate}
        placeholder="no limit"
      />
      <SettingForm
        state={state}
        settings={settings}
        name="max_download"
        label="Most download, MB/s"
        about="What is fetched from others."
        text={rateText}
        read={readRate}
        placeholder="no limit"
      />
    </Section>
  );
}

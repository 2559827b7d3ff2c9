/** How fast files may come and go. Called by settings-screen. */
import { Section } from "./section.tsx";
import { SettingForm } from "./setting-form.tsx";
import { rateText, readRate } from "./setting-texts.ts";
import type { SettingsPart } from "./settings-state.ts";

export function Speed(part: SettingsPart) {
  return (
    <Section name="speed" title="Speed" about="Over all peers together. Leave a field empty for no limit.">
      <SettingForm
        {...part}
        name="max_upload"
        label="Most upload, MB/s"
        about="What others get from here."
        text={rateText}
        read={readRate}
        placeholder="no limit"
      />
      <SettingForm
        {...part}
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

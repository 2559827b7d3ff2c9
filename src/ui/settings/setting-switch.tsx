/**
 * One setting that is on or off, with what it does and from when on. Called by the parts of the settings; calls
 * settings-state.
 */
import { useSignal } from "@preact/signals";
import { Switch } from "../elements/switch.tsx";
import { useApp } from "../state/app-state.ts";
import { effectText, type SettingName, type Settings, type SettingsPart } from "./settings-state.ts";

type SwitchName = { [N in SettingName]: Settings[N] extends boolean ? N : never }[SettingName];

interface SettingSwitchProps extends SettingsPart {
  name: SwitchName;
  label: string;
  /** What it does, where the label does not say all. */
  about?: string;
}

export function SettingSwitch({ state, settings, name, label, about }: SettingSwitchProps) {
  const { toasts } = useApp();
  const isBusy = useSignal(false);
  const set = async (isOn: boolean) => {
    if (isBusy.value) return;
    isBusy.value = true;
    await state.change({ [name]: isOn }).catch(toasts.showError);
    isBusy.value = false;
  };
  const effect = effectText(settings, name);
  return (
    <Switch
      label={label}
      hint={about === undefined ? effect : `${about} ${effect}`}
      isOn={settings[name]}
      busy={isBusy.value}
      disabled={settings.changeable[name] === undefined}
      onChange={(isOn) => void set(isOn)}
    />
  );
}

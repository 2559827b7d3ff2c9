/** Who finds what is shared next. Called by add-files and share-text. */
import { Switch } from "../elements/switch.tsx";
import { useApp } from "../state/app-state.ts";

export function UnlistedSwitch() {
  const { isUnlisted, choose } = useApp().unlistedChoice;
  return (
    <Switch
      label="Unlisted"
      hint={
        isUnlisted.value
          ? "Your peers don't see what you share: only who has its link gets it."
          : "Your peers see the name of what you share, and can get it."
      }
      isOn={isUnlisted.value}
      onChange={choose}
    />
  );
}

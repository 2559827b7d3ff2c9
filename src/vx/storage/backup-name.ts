/**
 * Names of backups that nobody named, by their moment in UTC. Those on schedule say so, for they alone are pruned. Used by the
 * engine and archives.
 */
const UNNAMED = /^vx-(scheduled-)?\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{4}\.zip$/;

/** Of a backup that somebody asked for; earlier versions called those on schedule so, too. */
export function backupName(moment: Date): string {
  return `vx-${stamp(moment)}.zip`;
}

export function scheduledBackupName(moment: Date): string {
  return `vx-scheduled-${stamp(moment)}.zip`;
}

export function isScheduledName(name: string): boolean {
  return UNNAMED.exec(name)?.[1] !== undefined;
}

/** Whether it is one of these, on schedule or not. */
export function isUnnamed(name: string): boolean {
  return UNNAMED.test(name);
}

function stamp(moment: Date): string {
  const random = crypto.getRandomValues(new Uint16Array(1))[0] as number;
  return `${moment.toISOString().replace(/[:.]/g, "-")}-${random.toString(16).padStart(4, "0")}`;
}

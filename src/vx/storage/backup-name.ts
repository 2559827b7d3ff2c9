/** Names of backups that nobody named: by their moment in UTC, so that they sort by age. Used by the engine and archives. */
const STAMP = /^vx-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{4}\.zip$/;

export function backupName(moment: Date): string {
  const random = crypto.getRandomValues(new Uint16Array(1))[0] as number;
  const stamp = moment.toISOString().replace(/[:.]/g, "-");
  return `vx-${stamp}-${random.toString(16).padStart(4, "0")}.zip`;
}

export function isBackupName(name: string): boolean {
  return STAMP.test(name);
}

/** Files: what this node has and shares. Called by the shell. */
export function FilesScreen() {
  return <h1>Files</h1>;
}

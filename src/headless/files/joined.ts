/**
 * One look at the disk for all who ask for the same while it is under way: the outputs of a folder are asked for by dozens at a
 * time, and most stand side by side. Used by fs-files and output-folders.
 */
export function joined<T>(look: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const underWay = new Map<string, Promise<T>>();
  return (path) => {
    const looking = underWay.get(path) ?? look(path).finally(() => underWay.delete(path));
    underWay.set(path, looking);
    return looking;
  };
}

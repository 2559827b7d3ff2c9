export interface LocalFile {
  id: string;
  name: string;
  sizeBytes: number;
  chunkCount: number;
  createdAt: Date;
  complete: boolean;
}

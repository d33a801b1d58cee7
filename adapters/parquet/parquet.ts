import { ByteWriter, parquetWrite, type SchemaElement } from 'hyparquet-writer';
import type { ParquetColumn, ParquetValue } from '#core/warehouse/columns.ts';

// Rows of a row group: some tens of megabytes while it is written, and a unit that readers skip by its statistics.
const rowGroupSize = 25_000;

const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const elements: Record<Exclude<ParquetColumn['type'], 'texts'>, Partial<SchemaElement>> = {
  text,
  number: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** Rows as a Parquet file, compressed by Snappy. Values are in the order of the columns. */
export async function writeParquet(
  columns: readonly ParquetColumn[],
  rows: readonly (readonly ParquetValue[])[],
): Promise<Uint8Array> {
  const writer = new ByteWriter();
  await parquetWrite({
    writer,
    columnData: columns.map(({ name, type }, index) => ({
      name,
      data: rows.map((row) => toParquet(row[index] ?? null, type)),
    })),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(schemaOf)],
    rowGroupSize,
    createdBy: 'waymark',
  });
  return new Uint8Array(writer.getBuffer());
}

function schemaOf({ name, type, isRequired = false }: ParquetColumn): SchemaElement[] {
  const repetition = isRequired ? 'REQUIRED' : 'OPTIONAL';
  if (type !== 'texts') return [{ name, repetition_type: repetition, ...elements[type] }];
  return [
    { name, repetition_type: repetition, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...text },
  ];
}

function toParquet(value: ParquetValue, type: ParquetColumn['type']): unknown {
  if (value === null) return undefined;
  return type === 'number' ? BigInt(value as number) : value;
}

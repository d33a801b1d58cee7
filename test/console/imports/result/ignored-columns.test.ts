import { expect, test } from 'vitest';
import { unnamedColumns } from '#console/imports/result/ignored-columns.ts';
import { listRemarks } from '#core/imports/remarks.ts';

test('an import lists the ignored columns that its remarks do not name, also one whose name is part of a remark', () => {
  const header = ['slug', 'long_url', 'problem', 'a', 'values'];
  const reading = { format: 'csv', header, encoding: 'utf-8', dateOrders: null } as const;
  const ignoredColumns = ['problem', 'a', 'values'];
  const namesOf = (lostColumns: string[]): string[] =>
    unnamedColumns({ ignoredColumns, remarks: listRemarks({ ...reading, lostColumns }) });
  expect(namesOf(['problem'])).toEqual(['a', 'values']);
  expect(namesOf(['problem', 'values'])).toEqual(['a']);
  expect(namesOf([])).toEqual(ignoredColumns);
  const many = Array.from({ length: 12 }, (_, index) => `column ${index}`);
  const remarks = listRemarks({ ...reading, lostColumns: many });
  expect(unnamedColumns({ ignoredColumns: many, remarks })).toEqual(['column 10', 'column 11']);
});

// Judges a SARIF file by the official schema of 2.1.0, which the package @microsoft/jest-sarif holds.
//
//   node check_sarif.cjs FILE
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const Ajv = require('ajv');

const packageFolder = path.dirname(require.resolve('@microsoft/jest-sarif/package.json'));
const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const schema = read(path.join(packageFolder, 'lib/schemas/sarif-2.1.0-rtm.5.json'));
const ajv = new Ajv({ schemaId: 'id', allErrors: true, unknownFormats: ['color'] });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const valid = ajv.validate(schema, read(process.argv[2]));
for (const error of ajv.errors ?? []) console.log(`${error.dataPath}: ${error.message}`);
process.exitCode = valid ? 0 : 1;

// SPDX-License-Identifier: Apache-2.0
// Nothing: the target of the headers that are compiled once for all tests needs a file.

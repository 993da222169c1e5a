using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive.Headers;

/// <content>The walk over a body.</content>
internal sealed partial class ArchiveHeaderReader
{
    /// <summary>
    /// Reads the body's object with everything inside it, used or not, in one loop. A call per used object would clear a
    /// frame and save its caller's state, which costs more than reading the object's names.
    /// </summary>
    /// <param name="scanner">Has the reason and the position of a fault.</param>
    /// <param name="at">Index of the opening brace.</param>
    /// <param name="header">Receives the values.</param>
    /// <param name="nameAt">Index of the name of the top-level property read last; <see cref="NoName"/> outside properties.</param>
    /// <returns>The index after the object, <see cref="Enough"/> or <see cref="JsonScanner.Failed"/>.</returns>
    private int Walk(ref JsonScanner scanner, int at, ArchiveHeader header, out int nameAt)
    {
        ReadOnlySpan<byte> json = scanner.Json; // a local stays in registers, the field does not
        HeaderNode open = _root; // the innermost open object or array that has used values
        int openDepth = 0;
        int depth = 1;
        ulong objects = 1; // a bit for each open level, the innermost lowest: 1 is an object, 0 an array
        bool inObject = true;
        nameAt = NoName;
        at = JsonScanner.SkipBlanks(json, at + 1);
        if (JsonScanner.Peek(json, at) == '}')
        {
            return at + 1;
        }

        while (true)
        {
            HeaderNode? node = null;
            int start = at;
            if (inObject)
            {
                nameAt = depth == 1 ? at : nameAt;
                at = scanner.ReadName(at, out JsonText name);
                if (at < 0)
                {
                    return at;
                }

                if (depth == openDepth + 1)
                {
                    node = open.Find(in name, json);
                }
            }
            else if (depth == openDepth + 1)
            {
                ref HeaderValue array = ref header.Slot(open.Slot);
                node = open.At(array.Start++, ref array.Length);
            }

            byte first = JsonScanner.Peek(json, at);
            bool enters = first is (byte)'{' or (byte)'[';
            if (node is not null)
            {
                ref HeaderValue value = ref header.Slot(node.Slot);
                if (value.Found)
                {
                    header.Refused = node;
                    return scanner.Fail(JsonFault.DuplicateName, start);
                }

                value.Found = true;
                enters = enters && (first == '{' ? node.IsObject : node.IsArray);
                if (enters)
                {
                    value.Position = header.Missing;
                    open = node;
                    openDepth = depth;
                }
                else
                {
                    at = first == '"' && node.TakesStrings
                        ? ReadText(ref scanner, at, node, header, ref value)
                        : ReadOther(ref scanner, at, first, node, header, ref value);
                    if (at >= 0 && HasEnough(header, header.Missing - node.Leaves))
                    {
                        return Enough;
                    }
                }
            }
            else if (!enters)
            {
                at = first == '"' ? scanner.ReadString(at, out _) : scanner.SkipScalar(at);
            }

            if (at < 0)
            {
                return at;
            }

            if (enters)
            {
                if (depth == JsonScanner.MaxDepth)
                {
                    return scanner.Fail(JsonFault.TooDeep, at);
                }

                depth++;
                inObject = first == '{';
                objects = (objects << 1) | (inObject ? 1u : 0u);
                at = JsonScanner.SkipBlanks(json, at + 1);
                if (JsonScanner.Peek(json, at) != (inObject ? '}' : ']'))
                {
                    continue;
                }
            }

            while (true)
            {
                at = JsonScanner.SkipBlanks(json, at);
                byte next = JsonScanner.Peek(json, at);
                if (next == ',')
                {
                    at = JsonScanner.SkipBlanks(json, at + 1);
                    break;
                }

                if (next != (inObject ? '}' : ']'))
                {
                    return scanner.Fail(JsonFault.Malformed, at);
                }

                at++;
                depth--;
                if (depth == openDepth)
                {
                    if (depth == 0)
                    {
                        nameAt = NoName;
                        return at;
                    }

                    if (HasEnough(header, header.Slot(open.Slot).Position - open.Leaves))
                    {
                        return Enough;
                    }

                    open = open.Parent!;
                    openDepth = open.Depth;
                }

                objects >>= 1;
                inObject = (objects & 1) != 0;
            }
        }
    }

    // A property that is missing in an object that ended cannot follow later: a second such object would be a duplicate.
    private bool HasEnough(ArchiveHeader header, int missing)
    {
        if (_validation != BodyValidation.HeaderOnly)
        {
            return false;
        }

        header.Missing = missing;
        return missing == 0;
    }
}

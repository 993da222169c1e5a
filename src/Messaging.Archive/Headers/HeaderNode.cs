using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;
using Quayside.Messaging.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// A node of the tree of all properties' paths, with which one pass over the body finds them all. A node is a location in the body: a
/// value, an object whose children are properties, or an array whose children are elements. Immutable.
/// </summary>
internal sealed class HeaderNode
{
    private const int Places = 64;
    private const byte Several = byte.MaxValue;

    private readonly byte[] _name;
    private readonly int _index;
    private readonly HeaderNode[] _children;
    private readonly int _longestName;
    private readonly byte[] _places =
        new byte[Places]; // indexed by PlaceOf a name: the only child there, counted from 1; 0 for none; Several when all must be compared

    private HeaderNode(string path, PropertyStep step, int depth, int slot, HeaderUse use, HeaderNode[] children, bool isArray)
    {
        _name = Encoding.UTF8.GetBytes(step.Name ?? "");
        _index = step.Index;
        _children = children;
        _longestName = children.Length == 0 ? 0 : children.Max(child => child._name.Length);
        for (int child = 0; child < children.Length; child++)
        {
            children[child].Parent = this;
            ref byte place = ref _places[PlaceOf(children[child]._name)];
            place = place == 0 && child + 1 < Several ? (byte)(child + 1) : Several;
        }

        LogText = UntrustedText.Shorten(path);
        Depth = depth;
        Slot = slot;
        DateUse = use & HeaderUse.AnyDate;
        TakesStrings = use != HeaderUse.None && !use.HasFlag(HeaderUse.Number);
        TakesNumbers = use != HeaderUse.None && (use & (HeaderUse.Text | HeaderUse.Date)) == HeaderUse.None;
        TakesAll = children.Length == 0 ? use == HeaderUse.Raw : Array.TrueForAll(children, child => child.TakesAll);
        IsArray = children.Length > 0 && isArray;
        IsObject = children.Length > 0 && !isArray;
        Leaves = children.Length == 0 ? 1 : children.Sum(child => child.Leaves);
    }

    /// <summary>The path, fit for logs; empty for the root.</summary>
    public string LogText { get; }

    /// <summary>The object or array around the location; null for the root.</summary>
    public HeaderNode? Parent { get; private set; }

    /// <summary>Number of objects and arrays around the location: 0 for the body itself.</summary>
    public int Depth { get; }

    /// <summary>Index among the header's values: for a value, that of its property; for an object or array, after all properties; -1 for the root.</summary>
    public int Slot { get; }

    /// <summary>Number of properties at or below this location.</summary>
    public int Leaves { get; }

    /// <summary>The kind of date that the value must be; none when it is not used as a date.</summary>
    public HeaderUse DateUse { get; }

    public bool TakesStrings { get; }

    public bool TakesNumbers { get; }

    /// <summary>True when a value of another kind counts as missing instead of making the message poison.</summary>
    public bool TakesAll { get; }

    public bool IsObject { get; }

    public bool IsArray { get; }

    /// <summary>Builds the tree.</summary>
    /// <param name="properties">The properties; each path occurs once, and none is part of another. A property's index becomes its slot.</param>
    /// <param name="slots">Number of values that a header must hold.</param>
    /// <exception cref="ArgumentException">The paths exclude each other.</exception>
    public static HeaderNode Build(IReadOnlyList<HeaderProperty> properties, out int slots)
    {
        slots = properties.Count;
        List<(HeaderProperty, int)> inBody = [.. properties.Select((property, slot) => (property, slot)).Where(one => !one.property.Path.IsOfSource)];
        return inBody.Count == 0
            ? new HeaderNode("", default, depth: 0, slot: -1, HeaderUse.None, [], isArray: false)
            : Build(inBody, default, depth: 0, slot: -1, ref slots);
    }

    /// <summary>The child with a name. The lookup costs the same for any order of names.</summary>
    /// <param name="name">As the scanner reported it.</param>
    /// <param name="json">The scanned text.</param>
    /// <returns>Null when nothing at or below it is used.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public HeaderNode? Find(in JsonText name, ReadOnlySpan<byte> json)
    {
        if (name.HasEscapes)
        {
            return FindEscaped(name, json);
        }

        ReadOnlySpan<byte> bytes = name.In(json);
        int place = _places[PlaceOf(bytes)];
        if (place == 0)
        {
            return null;
        }

        if (place == Several)
        {
            return Search(bytes);
        }

        HeaderNode child = _children[place - 1];
        return bytes.SequenceEqual(child._name) ? child : null;
    }

    /// <summary>The child for an array element.</summary>
    /// <param name="index">The element's index; must rise from call to call.</param>
    /// <param name="next">Number of children found so far; initially 0.</param>
    /// <returns>Null when nothing at or below it is used.</returns>
    public HeaderNode? At(int index, ref int next) => next < _children.Length && _children[next]._index == index ? _children[next++] : null;

    // Most names of equal length differ in the first or the last byte.
    private static int PlaceOf(ReadOnlySpan<byte> name) => name.IsEmpty ? 0 : (name.Length + (name[0] * 7) + (name[^1] * 13)) & (Places - 1);

    private HeaderNode? Search(ReadOnlySpan<byte> name)
    {
        foreach (HeaderNode child in _children)
        {
            if (name.SequenceEqual(child._name))
            {
                return child;
            }
        }

        return null;
    }

    private HeaderNode? FindEscaped(JsonText name, ReadOnlySpan<byte> json)
    {
        if (name.HasLoneSurrogate || name.Length > _longestName * JsonEscapes.MaxBytesPerByte)
        {
            return null;
        }

        byte[] unescaped = ArrayPool<byte>.Shared.Rent(name.Length);
        try
        {
            return Search(unescaped.AsSpan(0, JsonEscapes.Unescape(name.In(json), unescaped)));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(unescaped);
        }
    }

    private static HeaderNode Build(List<(HeaderProperty Property, int Slot)> below, PropertyStep step, int depth, int slot, ref int slots)
    {
        string path = depth == 0 ? "" : PropertyPath.Format(below[0].Property.Path.Steps[..depth]);
        if (below.Exists(one => one.Property.Path.Steps.Length == depth))
        {
            return below.Count == 1
                ? new HeaderNode(path, step, depth, below[0].Slot, below[0].Property.Use, [], isArray: false)
                : throw new ArgumentException($"{path} is used twice, or as a value and as an object.", nameof(below));
        }

        var children = new List<HeaderNode>();
        List<IGrouping<PropertyStep, (HeaderProperty Property, int Slot)>> groups =
            [.. below.GroupBy(one => one.Property.Path.Steps[depth]).OrderBy(group => group.Key.Index)];
        foreach (IGrouping<PropertyStep, (HeaderProperty Property, int Slot)> group in groups)
        {
            bool isValue = group.Any(one => one.Property.Path.Steps.Length == depth + 1);
            children.Add(Build([.. group], group.Key, depth + 1, isValue ? -1 : slots++, ref slots));
        }

        bool isArray = groups[0].Key.Name is null;
        return groups.TrueForAll(group => group.Key.Name is null == isArray)
            ? new HeaderNode(path, step, depth, slot, HeaderUse.None, [.. children], isArray)
            : throw new ArgumentException($"{path} is used as an object and as an array.", nameof(below));
    }
}

using System.Text;

namespace Harness;

/// <summary>Type names as C# writes them, with namespaces.</summary>
internal static class TypeNames
{
    public static string Format(Type type)
    {
        StringBuilder text = new();
        Append(text, type);
        return text.ToString();
    }

    private static void Append(StringBuilder text, Type type)
    {
        if (type.IsArray)
        {
            AppendArray(text, type);
        }
        else if (type.HasElementType)
        {
            Append(text, type.GetElementType()!);
            text.Append(type.IsPointer ? '*' : '&');
        }
        else if (type.IsGenericParameter)
        {
            text.Append(type.Name);
        }
        else
        {
            AppendNamed(text, type, type.GetGenericArguments());
        }
    }

    /// <summary>Writes an array type. C# writes the outer array's rank first: an array of two-dimensional arrays is <c>int[][,]</c>.</summary>
    private static void AppendArray(StringBuilder text, Type type)
    {
        Type element = type;
        StringBuilder ranks = new();
        while (element.IsArray)
        {
            ranks.Append('[').Append(',', element.GetArrayRank() - 1).Append(']');
            element = element.GetElementType()!;
        }

        Append(text, element);
        text.Append(ranks);
    }

    /// <summary>Writes a nested type. It also has the type arguments of the types around it, outer ones first; each level takes its own.</summary>
    private static void AppendNamed(StringBuilder text, Type type, ReadOnlySpan<Type> arguments)
    {
        if (type.DeclaringType is { } declaring)
        {
            int outer = Math.Min(declaring.GetGenericArguments().Length, arguments.Length);
            AppendNamed(text, declaring, arguments[..outer]);
            text.Append('.');
            arguments = arguments[outer..];
        }
        else if (!string.IsNullOrEmpty(type.Namespace))
        {
            text.Append(type.Namespace).Append('.');
        }

        int tick = type.Name.LastIndexOf('`');
        text.Append(tick < 0 ? type.Name : type.Name.AsSpan(0, tick));
        if (arguments.IsEmpty)
        {
            return;
        }

        text.Append('<');
        for (int i = 0; i < arguments.Length; i++)
        {
            if (i > 0)
            {
                text.Append(", ");
            }

            Append(text, arguments[i]);
        }

        text.Append('>');
    }
}

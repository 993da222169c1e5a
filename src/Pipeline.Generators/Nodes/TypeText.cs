using System.Text;
using Microsoft.CodeAnalysis;

namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>Type names as generated code at the top level of the same assembly must write them.</summary>
internal static class TypeText
{
    // A metadata name has at most 1,023 bytes of UTF-8, up to three per character. The kind of node, a number and the compiler's own
    // names for closures follow the identifier.
    private const int LongestIdentifier = 250;

    public static string Of(ITypeSymbol type) => type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);

    /// <summary>Whether the type is closed, accessible everywhere in the assembly, and not forbidden by an Obsolete error.</summary>
    public static bool IsNameable(ITypeSymbol type, Compilation compilation) => type switch
    {
        IArrayTypeSymbol array => IsNameable(array.ElementType, compilation),
        IDynamicTypeSymbol => true,
        INamedTypeSymbol { TypeKind: not TypeKind.Error } named =>
            !named.IsFileLocal
            && compilation.IsSymbolAccessibleWithin(named, compilation.Assembly)
            && !IsForbidden(named)
            && (named.ContainingType is null || IsNameable(named.ContainingType, compilation))
            && named.TypeArguments.All(argument => IsNameable(argument, compilation)),
        _ => false,
    };

    /// <summary>
    /// A name made from everything that identifies the part's type, so that other parts do not change it; with the contract when the
    /// part has several of one kind. Two types may still share a name (<c>A.B_C</c> and <c>A_B.C</c>).
    /// </summary>
    public static string Identifier(INamedTypeSymbol part, INamedTypeSymbol? contract)
    {
        StringBuilder identifier = new();
        Append(identifier, Of(part));
        if (contract is not null)
        {
            foreach (ITypeSymbol argument in contract.TypeArguments)
            {
                Append(identifier, $"_{Of(argument)}");
            }
        }

        if (identifier.Length <= LongestIdentifier)
        {
            return identifier.ToString();
        }

        uint hash = Hash(identifier.ToString());
        identifier.Length = LongestIdentifier;
        return identifier.Append('_').Append(hash.ToString("x8")).ToString();
    }

    private static void Append(StringBuilder identifier, string type)
    {
        foreach (char c in type.Replace("global::", string.Empty))
        {
            if (char.IsLetterOrDigit(c))
            {
                identifier.Append(c);
            }
            else if (c != '@' && identifier.Length > 0 && identifier[identifier.Length - 1] != '_')
            {
                identifier.Append('_');
            }
        }

        if (identifier.Length > 0 && identifier[identifier.Length - 1] == '_')
        {
            identifier.Length--;
        }
    }

    private static bool IsForbidden(INamedTypeSymbol type) => type.GetAttributes().Any(attribute =>
        attribute.AttributeClass is { Name: nameof(ObsoleteAttribute), ContainingNamespace.Name: nameof(System) }
        && attribute.ConstructorArguments.Length == 2
        && attribute.ConstructorArguments[1].Value is true);

    // FNV-1a: the framework's string hash differs from one run to the next.
    private static uint Hash(string text)
    {
        uint hash = 2_166_136_261;
        foreach (char c in text)
        {
            hash = unchecked((hash ^ c) * 16_777_619);
        }

        return hash;
    }
}

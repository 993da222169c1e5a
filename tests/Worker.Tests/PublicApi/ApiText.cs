using System.Reflection;
using System.Text;

namespace Worker.Tests.PublicApi;

/// <summary>The public API of an assembly as sorted text, one line per type and per member, so that every change is a line of a diff.</summary>
internal static class ApiText
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext Nullability = new();

    public static string Of(Assembly assembly)
    {
        StringBuilder text = new();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Describe(type)).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
            {
                text.Append("  ").Append(member).Append('\n');
            }
        }

        return text.ToString();
    }

    private static string Describe(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsInterface: true } => "interface",
            { IsValueType: true } => "struct",
            _ when type.IsSubclassOf(typeof(Delegate)) => "delegate",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        List<Type> bases = [];
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType) && parent != typeof(Enum) && parent != typeof(MulticastDelegate))
        {
            bases.Add(parent);
        }

        bases.AddRange(type.GetInterfaces().Where(contract => contract.IsVisible).OrderBy(contract => contract.FullName, StringComparer.Ordinal));
        string name = $"{kind} {type.Namespace}.{Name(type)}";
        return bases.Count == 0 || type.IsEnum || kind == "delegate" ? name : $"{name} : {string.Join(", ", bases.Select(Name))}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt64(Enum.Parse(type, name))}");
        }

        return type.GetMembers(Declared).Where(IsVisible).Select(Describe).OfType<string>();
    }

    private static bool IsVisible(MemberInfo member) => member switch
    {
        MethodBase method => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly,
        FieldInfo field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly,
        PropertyInfo property => property.GetAccessors(nonPublic: true).Any(IsVisible),
        EventInfo happening => IsVisible(happening.AddMethod!),
        _ => false,
    };

    /// <summary>Null for redundant members: accessors, overrides, and the print and clone methods of records.</summary>
    private static string? Describe(MemberInfo member) => member switch
    {
        ConstructorInfo { IsStatic: false } constructor => $"{Access(constructor)}.ctor({Parameters(constructor)})",
        MethodInfo { IsSpecialName: true } method when !method.Name.StartsWith("op_", StringComparison.Ordinal) => null,
        MethodInfo { Name: "<Clone>$" or "PrintMembers" } => null,
        MethodInfo method when method.GetBaseDefinition() != method => null,
        MethodInfo method => $"{Access(method)}{Name(method.ReturnType, Nullability.Create(method.ReturnParameter))} {method.Name}{Generic(method)}({Parameters(method)})",
        PropertyInfo { Name: "EqualityContract" } => null,
        PropertyInfo property => $"{Access(property.GetAccessors(nonPublic: true).First(IsVisible))}{Name(property.PropertyType, Nullability.Create(property))} {property.Name} {{ {string.Join(' ', Accessors(property))} }}",
        FieldInfo { IsLiteral: true } constant => $"const {Name(constant.FieldType)} {constant.Name} = {constant.GetRawConstantValue()}",
        FieldInfo field => $"{(field.IsStatic ? "static " : string.Empty)}{Name(field.FieldType, Nullability.Create(field))} {field.Name}",
        EventInfo happening => $"event {Name(happening.EventHandlerType!)} {happening.Name}",
        _ => null,
    };

    private static IEnumerable<string> Accessors(PropertyInfo property)
    {
        if (property.GetMethod is { } get && IsVisible(get))
        {
            yield return "get;";
        }

        if (property.SetMethod is { } set && IsVisible(set))
        {
            yield return set.ReturnParameter.GetRequiredCustomModifiers().Length > 0 ? "init;" : "set;";
        }
    }

    private static string Access(MethodBase method)
    {
        string access = method.IsPublic ? string.Empty : "protected ";
        return (method.IsStatic, method.IsAbstract, method.IsVirtual && !method.IsFinal) switch
        {
            (true, true, _) => $"{access}static abstract ",
            (true, _, _) => $"{access}static ",
            (_, true, _) => method.DeclaringType!.IsInterface ? access : $"{access}abstract ",
            (_, _, true) => $"{access}virtual ",
            _ => access,
        };
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Describe));

    private static string Describe(ParameterInfo parameter)
    {
        string way = parameter switch
        {
            { IsOut: true } => "out ",
            { IsIn: true, ParameterType.IsByRef: true } => "in ",
            { ParameterType.IsByRef: true } => "ref ",
            _ when parameter.IsDefined(typeof(ParamArrayAttribute)) => "params ",
            _ => string.Empty,
        };
        string value = parameter.HasDefaultValue ? $" = {parameter.RawDefaultValue ?? "default"}" : string.Empty;
        return $"{way}{Name(parameter.ParameterType, Nullability.Create(parameter))} {parameter.Name}{value}";
    }

    private static string Generic(MethodInfo method) =>
        method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : string.Empty;

    private static string Name(Type type, NullabilityInfo nullability)
    {
        string mark = nullability.ReadState == NullabilityState.Nullable && !type.IsValueType ? "?" : string.Empty;
        return Name(type) + mark;
    }

    private static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return Name(type.GetElementType()!);
        }

        if (type.IsArray)
        {
            return $"{Name(type.GetElementType()!)}[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } value)
        {
            return $"{Name(value)}?";
        }

        string name = type.IsNested && !type.IsGenericParameter ? $"{Name(type.DeclaringType!)}.{type.Name}" : type.Name;
        int tick = name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? name : $"{name[..tick]}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>";
    }
}

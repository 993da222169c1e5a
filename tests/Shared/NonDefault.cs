using System.Reflection;
using System.Runtime.CompilerServices;

namespace Tests.Shared;

/// <summary>Fills objects with non-default values, to test that a reset clears every field.</summary>
internal static class NonDefault
{
    /// <summary>Every instance field of a type, including those of its base types.</summary>
    public static IEnumerable<FieldInfo> FieldsOf(Type type)
    {
        for (Type? current = type; current is not null && current != typeof(object); current = current.BaseType)
        {
            foreach (FieldInfo field in current.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                yield return field;
            }
        }
    }

    /// <summary>Sets every assignable field to a non-default value.</summary>
    public static void Fill(object target)
    {
        foreach (FieldInfo field in FieldsOf(target.GetType()).Where(field => !field.IsInitOnly))
        {
            field.SetValue(target, Of(field.FieldType));
        }
    }

    /// <summary>The assignable fields whose values differ between two objects of one type.</summary>
    public static IEnumerable<string> Differences(object left, object right) =>
        from field in FieldsOf(left.GetType())
        where !field.IsInitOnly && !Equals(field.GetValue(left), field.GetValue(right))
        select $"{field.DeclaringType!.Name}.{field.Name}";

    private static object Of(Type type)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Of(underlying);
        }

        if (type == typeof(string))
        {
            return "left over";
        }

        if (type == typeof(CancellationToken))
        {
            return new CancellationToken(canceled: true);
        }

        if (type == typeof(Action))
        {
            return () => { };
        }

        if (type == typeof(bool))
        {
            return true;
        }

        if (type.IsEnum)
        {
            return Enum.ToObject(type, 1);
        }

        if (type.IsPrimitive)
        {
            return Convert.ChangeType(1, type, System.Globalization.CultureInfo.InvariantCulture);
        }

        if (type.IsArray)
        {
            return Array.CreateInstance(type.GetElementType()!, 1);
        }

        return type.IsValueType ? FilledStruct(type) : RuntimeHelpers.GetUninitializedObject(ConcreteType(type));
    }

    private static object FilledStruct(Type type)
    {
        object value = RuntimeHelpers.GetUninitializedObject(type);
        foreach (FieldInfo field in FieldsOf(type).Where(field => !field.FieldType.IsByRef && !field.FieldType.IsPointer && field.FieldType != type))
        {
            field.SetValue(value, Of(field.FieldType));
        }

        return value;
    }

    private static Type ConcreteType(Type type)
    {
        if (type is { IsAbstract: false, IsInterface: false })
        {
            return type;
        }

        return AppDomain.CurrentDomain.GetAssemblies()
            .Where(assembly => !assembly.IsDynamic)
            .SelectMany(assembly => assembly.GetTypes())
            .FirstOrDefault(
                candidate => candidate is { IsAbstract: false, IsInterface: false, ContainsGenericParameters: false } && type.IsAssignableFrom(candidate))
            ?? throw new NotSupportedException($"No concrete {type} is loaded: derive one in the tests, so that a field of this type can be filled.");
    }
}

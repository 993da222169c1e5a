using System.Linq.Expressions;

#pragma warning disable CA1050, IDE0130, MA0047 // In no namespace it comes before Shouldly's own
/// <summary>Shouldly's assertion passes on a collection without elements, and then asserts nothing.</summary>
internal static class CollectionAssertions
{
    public static void ShouldAllBe<T>(this IEnumerable<T> actual, Expression<Func<T, bool>> elementPredicate, string? customMessage = null)
    {
        T[] elements = [.. actual];
        elements.ShouldNotBeEmpty(customMessage ?? "Nothing can be said about the elements of an empty collection.");
        ShouldBeEnumerableTestExtensions.ShouldAllBe(elements, elementPredicate, customMessage);
    }
}

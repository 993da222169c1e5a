using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

public sealed class NearestNameTests
{
    private static readonly string[] Commands = ["validate", "explain", "explain-key", "status", "publish", "redrive"];

    [Theory]
    [InlineData("validat", "validate")]
    [InlineData("vlaidate", "validate")]
    [InlineData("VALIDATE", "validate")]
    [InlineData("val", "validate")]
    [InlineData("publihs", "publish")]
    [InlineData("satus", "status")]
    [InlineData("explian", "explain")]
    public void Find_AMistypedName_IsTheNearest(string name, string nearest) => NearestName.Find(name, Commands).ShouldBe(nearest);

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    [InlineData("qq")]
    [InlineData("frobnicate")]
    public void Find_AnotherName_IsNone(string name) => NearestName.Find(name, Commands).ShouldBeNull();

    [Fact]
    public void Find_NothingIsKnown_IsNone() => NearestName.Find("validate", []).ShouldBeNull();
}

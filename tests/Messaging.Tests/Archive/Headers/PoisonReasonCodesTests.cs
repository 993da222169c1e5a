using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

public sealed class PoisonReasonCodesTests
{
    // The codes are a contract: a changed code breaks users' dead letters, dashboards and alerts.
    [Fact]
    public void Code_EveryReason_IsTheApprovedOne() => typeof(PoisonReason).GetFields().Select(field => field.GetRawConstantValue()).ShouldBe(
    [
        "empty-body", "malformed-json", "invalid-utf8", "lone-surrogate", "too-deep", "duplicate-property", "wrong-type", "not-an-object", "trailing-data",
        "bad-date", "missing-id", "missing-property", "invalid-value",
    ]);
}

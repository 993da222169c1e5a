using Microsoft.AspNetCore.Http;

namespace Benchmarks.Pipelines.Parts;

/// <summary><see cref="PlainPart{TTag}"/> as ASP.NET Core middleware.</summary>
internal sealed class PlainMiddleware<TTag>(RequestDelegate next)
    where TTag : struct, ITag
{
    public async Task InvokeAsync(HttpContext context)
    {
        BenchContext message = ((BenchHttpContext)context).Message;
        message.Enter(TTag.Value);
        await next(context);
        message.Leave(TTag.Value);
    }
}
